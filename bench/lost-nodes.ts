// Stops the heartbeats of nodes on a real API server: 700 nodes in four zones, of which 175, 130, 120 and 75 fall
// silent, and then all. Compares the number of tainted nodes and evicted pods, ours with the Go manager's, with raised
// rates and a restart of the manager in the middle.
//   bun bench/lost-nodes.ts [--nodes-per-zone=175] [--seconds=30] [--go-twice]
// --go-twice compares the Go manager with itself: those differences are chance.
// Ends with an error if the two differ by more than the speed of the machine explains. Nothing is written.

import { argv, stdout } from "node:process";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import type { Client } from "#client/client.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import { adminClient, sleep } from "./plane.ts";

const option = (name: string, usual: number): number => {
  const given = argv.findLast((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? usual : Number(given.slice(name.length + 3));
};
const isGoTwice = argv.includes("--go-twice");
const perZone = option("nodes-per-zone", 175);
/** The length of the counting periods before and after the restart. */
const windowSeconds = option("seconds", 30);

/** The parts of each zone that fall silent: a is fully disrupted, b and c partially, d is normal. */
const SILENT = { a: 175 / 175, b: 130 / 175, c: 120 / 175, d: 75 / 175 } as const;
type Zone = keyof typeof SILENT;
const zones = Object.keys(SILENT) as Zone[];
const RATE = 1;
const SECONDARY_RATE = 0.1;
const GRACE_MS = 40_000;
const RENEW_PERIOD_MS = 12_000;
const TOLERATED_SECONDS = 8;
/** This program's requests at the same time. */
const PARALLEL = 24;
const LEASE_NAMESPACE = "kube-node-lease";
const controllers = ["node-lifecycle-controller", "taint-eviction-controller"];
const flags = [
  `--node-eviction-rate=${RATE}`,
  `--secondary-node-eviction-rate=${SECONDARY_RATE}`,
  `--node-monitor-grace-period=${GRACE_MS / 1000}s`,
  "--kube-api-qps=500",
  "--kube-api-burst=1000",
];
const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;
const { signal } = new AbortController();

interface Machine {
  readonly name: string;
  readonly zone: Zone;
  isSilent: boolean;
}

type ByZone = Readonly<Record<Zone, number>>;

interface Figures {
  readonly tainted: ByZone;
  readonly evicted: ByZone;
}

/** One event in the life of a node, by the API server's clock. */
interface Happening {
  readonly what: "tainted" | "untainted" | "evicted";
  readonly zone: Zone;
  readonly ms: number;
}

async function each(machines: readonly Machine[], step: (machine: Machine) => Promise<unknown>): Promise<void> {
  const rest = [...machines];
  const worker = async (): Promise<void> => {
    for (let machine = rest.pop(); machine !== undefined; machine = rest.pop()) await step(machine);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

const machinesOf = (): Machine[] =>
  zones.flatMap((zone) => Array.from({ length: perZone }, (_, i) => ({ name: `${zone}-${i}`, zone, isSilent: false })));

async function create(client: Client, { name, zone }: Machine): Promise<void> {
  const now = formatTime(Date.now());
  const labels = { "topology.kubernetes.io/zone": zone };
  await client.resource(Nodes).create({ object: { metadata: { name, labels } } }, signal);
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now }];
  const patch = { status: { conditions } };
  await client.resource(Nodes).patch({ name, type: "merge", patch, subresource: "status" }, signal);
  const tolerations = ["not-ready", "unreachable"].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: TOLERATED_SECONDS,
  }));
  const spec = { nodeName: name, tolerations, containers: [{ name: "main", image: "example/web:1" }] };
  await client.resource(Pods).create({ namespace: "default", object: { metadata: { name }, spec } }, signal);
  const lease = { metadata: { name }, spec: { renewTime: formatMicroTime(Date.now()) } };
  await client.resource(Leases).create({ namespace: LEASE_NAMESPACE, object: lease }, signal);
}

function renew(client: Client, machines: readonly Machine[]): Promise<void> {
  return each(machines, ({ name }) => {
    const patch = { spec: { renewTime: formatMicroTime(Date.now()) } };
    return client.resource(Leases).patch({ namespace: LEASE_NAMESPACE, name, type: "merge", patch }, signal);
  });
}

/** Waits while the nodes that are not silent renew their leases; ends early when `isOver`. */
async function pass(client: Client, machines: readonly Machine[], ms: number, isOver?: () => boolean): Promise<void> {
  const endMs = performance.now() + ms;
  for (let nextMs = performance.now(); performance.now() < endMs && isOver?.() !== true; await sleep(200)) {
    if (performance.now() < nextMs) continue;
    nextMs = performance.now() + RENEW_PERIOD_MS;
    const awake = machines.filter(({ isSilent }) => !isSilent);
    await renew(client, awake);
  }
}

interface NodeAnswer {
  readonly spec?: { readonly taints?: readonly { readonly effect: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Reads the manager's writes to nodes and their pods from the audit log. */
class Watcher {
  readonly happenings: Happening[] = [];
  /** The nodes that the manager has marked as lost, with the time. */
  readonly lost = new Map<string, number>();
  /** The tainted nodes, with the time of the taint. */
  readonly #tainted = new Map<string, number>();
  readonly #follow: () => readonly AuditEvent[];

  constructor(plane: ControlPlane) {
    this.#follow = plane.audit.follow();
  }

  read(): readonly Happening[] {
    for (const event of this.#follow()) this.#take(event);
    return this.happenings;
  }

  /** The number of nodes that were tainted by this time and still are. */
  tainted(sinceMs = Infinity): ByZone {
    this.read();
    const names = [...this.#tainted].filter(([, ms]) => ms <= sinceMs).map(([name]) => name);
    const of = (zone: Zone): number => names.filter((name) => name.startsWith(zone)).length;
    return Object.fromEntries(zones.map((zone) => [zone, of(zone)])) as ByZone;
  }

  /** The start of the monitor pass in which the manager found the last lost nodes. It pauses between two passes. */
  lastLookMs(): number {
    const found = [...this.lost.values()].sort((a, b) => b - a);
    const end = found.findIndex((ms, index) => ms - (found[index + 1] ?? 0) > REST_MS);
    return found[end] ?? 0;
  }

  #take({ stage, verb, user, objectRef, responseStatus, responseObject, stageTimestamp }: AuditEvent): void {
    const isManager = user.username.startsWith("system:serviceaccount:kube-system:");
    const { resource, subresource, name = "" } = objectRef ?? {};
    if (stage !== "ResponseComplete" || !isManager || (responseStatus?.code ?? 500) >= 300) return;
    const zone = name.slice(0, 1) as Zone;
    const ms = Date.parse(stageTimestamp);
    if (resource === "pods" && verb === "delete") this.happenings.push({ what: "evicted", zone, ms });
    if (resource !== "nodes" || (verb !== "patch" && verb !== "update")) return;
    const { spec, status } = responseObject as NodeAnswer;
    if (status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "Unknown")) {
      this.lost.getOrInsert(name, ms);
    }
    if (subresource !== undefined) return;
    const isTainted = spec?.taints?.some(({ effect }) => effect === "NoExecute") === true;
    if (isTainted === this.#tainted.has(name)) return;
    if (isTainted) this.#tainted.set(name, ms);
    else this.#tainted.delete(name);
    this.happenings.push({ what: isTainted ? "tainted" : "untainted", zone, ms });
  }
}

function count(happenings: readonly Happening[], what: Happening["what"], fromMs: number, toMs: number): ByZone {
  const isCounted = (each: Happening): boolean => each.what === what && each.ms >= fromMs && each.ms < toMs;
  const counted = happenings.filter(isCounted);
  return Object.fromEntries(zones.map((zone) => [zone, counted.filter((one) => one.zone === zone).length])) as ByZone;
}

/** Somewhat less than the manager's pause between two passes. */
const REST_MS = 4000;
/** The longest delay of the manager's cache. */
const LAG_MS = 2000;
/** The manager's monitor passes that set the state of the zones after the last node is lost. */
const SETTLE_MS = 12_000;

/** Waits until all silent nodes are lost and the manager has set the state of the zones. */
async function untilLost(client: Client, machines: readonly Machine[], watcher: Watcher): Promise<void> {
  const silent = machines.filter(({ isSilent }) => isSilent).length;
  const isOver = (): boolean => {
    watcher.read();
    return watcher.lost.size >= silent;
  };
  await pass(client, machines, 5 * GRACE_MS, isOver);
  if (!isOver()) throw new Error(`${watcher.lost.size} of ${silent} nodes are lost`);
  await pass(client, machines, SETTLE_MS);
}

/** Counts tainted nodes and evicted pods from now on. */
async function countedFor(client: Client, machines: readonly Machine[], watcher: Watcher): Promise<Figures> {
  const fromMs = Date.now();
  const toMs = fromMs + windowSeconds * 1000;
  await pass(client, machines, toMs - fromMs + 1000);
  const happenings = watcher.read();
  return {
    tainted: count(happenings, "tainted", fromMs, toMs),
    evicted: count(happenings, "evicted", fromMs, toMs),
  };
}

async function play(manager: "go" | "ours"): Promise<Readonly<Record<string, ByZone>>> {
  const quietLeases = { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] };
  const plane = await startControlPlane({ auditRules: [quietLeases] });
  try {
    const client = await adminClient(plane);
    const account = { metadata: { name: "default" } };
    await client.resource(ServiceAccounts).create({ namespace: "default", object: account }, signal);
    const machines = machinesOf();
    await each(machines, (machine) => create(client, machine));
    const start = (): Promise<{ stop(): Promise<unknown> }> =>
      manager === "go"
        ? plane.startGoManager({ controllers, flags })
        : plane.startManager([process.execPath, ourProgram], { controllers, flags });
    const watcher = new Watcher(plane);
    const firstManager = await start();
    await pass(client, machines, RENEW_PERIOD_MS);
    // The last heartbeat of all nodes, at about the same time.
    await renew(client, machines);
    for (const machine of machines) {
      machine.isSilent = Number(machine.name.slice(2)) < Math.round(SILENT[machine.zone] * perZone);
    }
    await untilLost(client, machines, watcher);
    const before = await countedFor(client, machines, watcher);
    await firstManager.stop();
    const stoppedMs = Date.now();
    const tainted = watcher.tainted();
    await start();
    const hasBegun = (): boolean => watcher.read().some(({ what, ms }) => what === "tainted" && ms > stoppedMs);
    await pass(client, machines, 2 * GRACE_MS, hasBegun);
    await pass(client, machines, SETTLE_MS);
    const untainted = count(watcher.read(), "untainted", stoppedMs, Date.now());
    const after = await countedFor(client, machines, watcher);
    for (const machine of machines) machine.isSilent = true;
    await untilLost(client, machines, watcher);
    await pass(client, machines, 2 * GRACE_MS, () => zones.every((zone) => watcher.tainted()[zone] === 0));
    const left = watcher.tainted();
    const last = await countedFor(client, machines, watcher);
    return {
      "tainted before the restart": before.tainted,
      "evicted before the restart": before.evicted,
      "tainted but not untainted by the new manager": subtracted(tainted, untainted),
      "tainted after the restart": after.tainted,
      "evicted after the restart": after.evicted,
      [LEFT]: left,
      "tainted before that look began, and still tainted": watcher.tainted(watcher.lastLookMs() - LAG_MS),
      "tainted once all are lost": last.tainted,
      "evicted once all are lost": last.evicted,
    };
  } finally {
    await plane.stop();
  }
}

/**
 * Nodes that are tainted during the pass that finds all nodes lost keep their taints. Their number depends on the
 * duration of the pass, which depends on the speed of the machine.
 */
const LEFT = "tainted during the look that found all lost, and still tainted";

const subtracted = (a: ByZone, b: ByZone): ByZone =>
  Object.fromEntries(zones.map((zone) => [zone, a[zone] - b[zone]])) as ByZone;

/** Allows for a pass, or a turn of the queue, that comes later on a busy machine. */
const isAlike = (a: number, b: number): boolean => Math.abs(a - b) <= 3 + 0.1 * Math.max(a, b);

const shown = (figures: ByZone): string => zones.map((zone) => `${zone} ${figures[zone]}`).join(", ");

stdout.write(
  `${4 * perZone} nodes, ${RATE} taints a second, ${SECONDARY_RATE} in disrupted zones, ${windowSeconds} s are counted\n`,
);
const go = await play("go");
for (const [what, figures] of Object.entries(go)) stdout.write(`go   ${what}: ${shown(figures)}\n`);
const ours = await play(isGoTwice ? "go" : "ours");
for (const [what, figures] of Object.entries(ours)) {
  stdout.write(`${isGoTwice ? "go  " : "ours"} ${what}: ${shown(figures)}\n`);
}
const different = Object.keys(go).filter(
  (what) => what !== LEFT && zones.some((zone) => !isAlike(go[what]?.[zone] ?? 0, ours[what]?.[zone] ?? 0)),
);
for (const what of different) stdout.write(`different: ${what}\n`);
process.exit(different.length === 0 ? 0 : 1);
