// One cluster that lives through hand-overs: the leader ends in the middle of rollouts, Jobs and deletions, the next
// manager takes over, and the cluster settles. Told of each hand-over is what a comparison with another cluster needs.

import type { KubeObject } from "#api/object.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { daemonOf, type Side } from "#test/real/daemon.ts";
import type { FaultProxy } from "#test/real/fault-proxy.ts";
import { holderOf } from "#test/real/leadership.ts";
import { eventually, logged } from "#test/real/suite.ts";
import { isDecision } from "#test/stage/requests.ts";
import { BIG, definitions, FRAIL, population, TEAMS } from "./cluster-objects.ts";
import { type ClusterState, labelOf, readState } from "./cluster-state.ts";
import { FRAIL_NODES, type NodePlayer, startNodePlayer } from "./node-player.ts";
import { frailIsReady, unsettled, type Work, workOn } from "./work.ts";

export const LEASE = "kube-controller-manager";
const PATIENCE_MS = 240_000;
const QUIET_MS = 3000;
const LOOK_MS = 500;
const REFUSED_MS = 1000;
const BETWEEN_CUTS_MS = 1500;
/** New pods of the big rollout when the leader ends. */
const MIDDLE = BIG.replicas / 4;
const NODE_FAILURE_EVERY = 3;
/** Those that run by default. */
const CONTROLLERS = 39;

/**
 * How a leader ends, and what else goes wrong.
 * - kill: SIGKILL while the next manager stands by.
 * - restart: the API server is killed, then the leader; the API server comes back.
 * - stop: SIGTERM; the next manager is started only then, as an operator does it.
 * - cut: all watches are cut before the end and after the take-over.
 * - refuse: the API server refuses connections for a moment, as soon as the next manager's controllers run.
 * - pause: SIGSTOP until the next manager leads, then SIGCONT: the old leader must end without a write.
 */
export type Ending = "kill" | "restart" | "stop" | "cut" | "refuse" | "pause";
const endings: readonly Ending[] = ["kill", "restart", "stop", "cut", "refuse"];

/** An odd cycle, so that each program meets each ending. Only ours promises not to write after a pause. */
export function endingOf(step: number): Ending {
  return step % 10 === 5 ? "pause" : (endings[step % endings.length] ?? "kill");
}

export interface HandOver {
  readonly step: number;
  readonly ending: Ending;
  readonly from: Side;
  readonly to: Side;
  readonly tookMs: number;
  /** Who held the lease before. */
  readonly previousHolder: string;
  readonly state: ClusterState;
  /** Labels of objects that were not there before, by UID. */
  readonly added: ReadonlyMap<string, string>;
  /** Objects of before whose name now belongs to another object, by label. */
  readonly replaced: readonly string[];
  /** Pods that came and went, by label. */
  readonly born: readonly string[];
  readonly died: readonly string[];
  readonly audit: readonly AuditEvent[];
}

const flags = [
  // Long enough for a busy machine on which connections are refused for a moment.
  "--leader-elect=true",
  "--leader-elect-lease-duration=10s",
  "--leader-elect-renew-deadline=8s",
  "--leader-elect-retry-period=500ms",
  "--kube-api-qps=300",
  "--kube-api-burst=600",
  "--node-monitor-grace-period=16s",
  // What admission has charged and a cache has not seen yet is put right by the next full pass alone.
  "--resource-quota-sync-period=10s",
  "-v=2",
];
const apiServerFlags = ["--default-not-ready-toleration-seconds=1", "--default-unreachable-toleration-seconds=1"];
/** Reads and the players' own writes are of no interest here. */
const auditRules = [
  { level: "None", users: ["test-admin"] },
  { level: "None", verbs: ["get", "list", "watch"] },
];

interface Cluster {
  readonly plane: ControlPlane;
  readonly proxy: FaultProxy;
  readonly players: NodePlayer;
  readonly work: Work;
  readonly newEvents: () => readonly AuditEvent[];
  start(side: Side): Promise<RunningManager>;
}

/** `sides`: who leads, one after the other. */
export async function live(
  name: string,
  sides: readonly Side[],
  tell: (line: string) => void,
): Promise<readonly HandOver[]> {
  const plane = await startControlPlane({ apiServerFlags, auditRules });
  let players: NodePlayer | undefined;
  try {
    const proxy = await plane.startFaultProxy();
    const kubeconfig = plane.kubeconfigFor({ user: "system:kube-controller-manager" }, proxy.server);
    const through = ["", "authentication-", "authorization-"].map((kind) => `--${kind}kubeconfig=${kubeconfig}`);
    const start = (side: Side): Promise<RunningManager> =>
      plane.startManager(daemonOf(side), { flags: [...flags, ...through] });
    const { certificatePem: cert, keyPem: key } = plane.admin;
    const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
    const client = createClient({ transport, clock: systemClock, userAgent: "players" });
    players = await startNodePlayer(client, (pod) => labelOf("pods", pod));
    const work = workOn(plane);
    const cluster: Cluster = { plane, proxy, players, work, start, newEvents: plane.audit.follow() };

    let leader = await start(sides[0] ?? "go");
    const began = performance.now();
    await populate(cluster);
    await work.prepare(0);
    await settled(cluster, leader);
    let before = await readState(plane);
    tell(`${name}: ${before.objects} objects of ${before.kinds} kinds after ${seconds(began)}\n`);

    const handOvers: HandOver[] = [];
    for (const [step, to] of sides.slice(1).entries()) {
      const from = sides[step] ?? "go";
      players.takeHistory();
      cluster.newEvents();
      const ending = endingOf(step);
      const known = before.labels;
      const startMs = performance.now();
      const previousHolder = await holderOf(plane, LEASE);
      leader = await handOver(cluster, { step, ending, leader, from, to, previousHolder });
      const audit = await settled(cluster, leader);
      const state = await readState(plane);
      const { born, died } = players.takeHistory();
      const told = { step, ending, from, to, previousHolder, state, audit, tookMs: performance.now() - startMs };
      const pods = { born: [...born.values()].sort(), died: [...died.values()].sort() };
      const added = new Map([...state.labels].filter(([uid]) => !known.has(uid)));
      handOvers.push({ ...told, ...pods, added, replaced: replacedBetween(before, state) });
      before = state;
      tell(`${name}: hand-over ${step + 1} from ${from} to ${to} (${ending}), settled after ${seconds(startMs)}\n`);
    }
    await leader.stop("SIGKILL");
    return handOvers;
  } finally {
    await players?.stop();
    await plane.stop();
  }
}

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(0)} s`;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function populate({ plane }: Cluster): Promise<void> {
  await create(plane, definitions);
  for (const team of TEAMS) {
    const account = `/api/v1/namespaces/${team}/serviceaccounts/default`;
    await eventually(async () => ((await plane.request("GET", account)).status === 200 ? true : undefined));
  }
  await create(plane, population);
}

async function create(plane: ControlPlane, items: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { code, stderr } = await plane.kubectl(["create", "--validate=false", "-f", "-"], list);
  if (code !== 0) throw new Error(stderr);
}

interface HandOverPlan {
  readonly step: number;
  readonly ending: Ending;
  readonly leader: RunningManager;
  readonly from: Side;
  readonly to: Side;
  readonly previousHolder: string;
}

/** Returns the new leader. */
async function handOver(cluster: Cluster, plan: HandOverPlan): Promise<RunningManager> {
  const { plane, proxy, players, work, start } = cluster;
  const { step, ending, leader, from, to, previousHolder } = plan;
  const standby = ending === "stop" ? undefined : await start(to);
  const fails = step % NODE_FAILURE_EVERY === 0;
  const node = FRAIL_NODES[(step / NODE_FAILURE_EVERY) % FRAIL_NODES.length] ?? "";
  const old = new Set(players.pods().map(({ metadata }) => metadata.uid));
  if (fails) players.fail(node);
  await work.begin(step);
  await work.prepare(step + 1);
  const isNewBig = ({ metadata }: KubeObject): boolean =>
    metadata?.namespace === BIG.namespace && metadata.labels?.app === BIG.name && !old.has(metadata.uid ?? "");
  await eventually(() => (players.pods().filter(isNewBig).length >= MIDDLE ? true : undefined), PATIENCE_MS);

  if (ending === "cut") proxy.strike({ isWatch: true }, "reset");
  if (ending === "restart") await plane.killApiServer();
  const isPaused = ending === "pause" && from === "ours";
  if (isPaused) process.kill(leader.pid, "SIGSTOP");
  else await leader.stop(ending === "stop" ? "SIGTERM" : "SIGKILL");
  if (ending === "restart") await plane.reviveApiServer();
  const next = standby ?? (await start(to));
  await eventually(async () => {
    const holder = await holderOf(plane, LEASE);
    return holder !== previousHolder && holder !== "" ? true : undefined;
  }, PATIENCE_MS);
  if (isPaused) {
    process.kill(leader.pid, "SIGCONT");
    await leader.ended;
  }
  if (ending === "cut") {
    for (const _ of [1, 2]) {
      await sleep(BETWEEN_CUTS_MS);
      proxy.strike({ isWatch: true }, "reset");
    }
  }
  if (ending === "refuse") {
    // A Go manager that cannot reach the API server while it builds its controllers ends.
    await logged(next, "Controller starting...", CONTROLLERS, PATIENCE_MS);
    await proxy.down();
    await sleep(REFUSED_MS);
    await proxy.up();
  }
  await work.finish(step);
  if (fails) {
    await eventually(async () => ((await evicted(cluster, node)) ? true : undefined), PATIENCE_MS);
    await players.revive(node);
  }
  return next;
}

/** The pods of the failed node have been replaced on the other one. */
async function evicted({ plane, players }: Cluster, node: string): Promise<boolean> {
  const isStaying = players
    .pods()
    .some(
      ({ metadata, spec }) =>
        metadata.labels?.app === FRAIL.name && spec?.nodeName === node && metadata.deletionTimestamp === undefined,
    );
  return !isStaying && (await frailIsReady(plane));
}

/** Resolves with the managers' writes since the last call, when all is done and no decision is written any more. */
async function settled({ plane, newEvents }: Cluster, leader: RunningManager): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  const deadline = performance.now() + PATIENCE_MS;
  let quietSince = performance.now();
  for (;;) {
    const added = newEvents();
    for (const event of added) events.push(event);
    const left = await unsettled(plane);
    if (left.length > 0 || added.some(isDecision)) quietSince = performance.now();
    if (performance.now() - quietSince >= QUIET_MS) return events;
    if (!leader.isRunning) throw new Error(`the leader has ended: ${leader.log().slice(-2000)}`);
    if (performance.now() > deadline) {
      throw new Error(`not settled: ${left.slice(0, 20).join(", ")}\n${leader.log().slice(-3000)}`);
    }
    await sleep(LOOK_MS);
  }
}

/** "pods team-0/db-0" of names that belong to another object now. */
function replacedBetween(before: ClusterState, after: ClusterState): readonly string[] {
  return [...after.uids]
    .filter(([label, uid]) => before.uids.has(label) && before.uids.get(label) !== uid)
    .map(([label]) => label)
    .sort();
}
