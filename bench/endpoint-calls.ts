// Counts the API calls of the endpoints controllers, ours and the Go manager's. Services with pods behind them are set
// up; then all pods are replaced one by one, in all Services at the same time. The pace is the same for both managers:
// a manager that is late sees several changes as one.
//   bun bench/endpoint-calls.ts [--services=500] [--endpoints=20] [--per-second=50] [--qps=20] [--batch-ms=0]
// [--rounds=1]
//     [--in-step] [--embedded] [--quiet-ms=3000] [--only=go|ours]
// If neither is late, each change is a call. Otherwise the count depends on the delays and varies from round to round.
// --in-step waits for the controllers after each change of all Services, so that neither is late on a busy machine: a
// pod becomes ready, another pod is terminating, and then it is gone. With it, the set-up is neither in step nor
// counted. --embedded counts on the embedded API server instead of a real one (bench/endpoint-servers.ts). Ends with an
// error if ours makes more calls on average. Nothing is written.

import { argv, stdout } from "node:process";
import { Nodes, Pods, ServiceAccounts, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { formatTime } from "#api/time.ts";
import type { Client } from "#client/client.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type Server, startServer } from "./endpoint-servers.ts";
import { type Calls, callsSince, quiet, sleep, tellCalls, totalCalls } from "./plane.ts";

const option = (name: string, usual: number): number => {
  const given = argv.findLast((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? usual : Number(given.slice(name.length + 3));
};
const serviceCount = option("services", 500);
const endpointCount = option("endpoints", 20);
const perSecond = option("per-second", 50);
/** --kube-api-qps of each controller's client. */
const qps = option("qps", 20);
/** --endpoint-updates-batch-period and --endpointslice-updates-batch-period. */
const batchMs = option("batch-ms", 0);
const isInStep = argv.includes("--in-step");
const isEmbedded = argv.includes("--embedded");
/** A manager that has written nothing for this long is idle. A sync with a stale cache is retried after a second. */
const quietMs = option("quiet-ms", 3000);
const managers = (["go", "ours"] as const).filter(
  (manager) => !argv.includes(`--only=${manager === "go" ? "ours" : "go"}`),
);
/** Go and ours take turns. */
const rounds = option("rounds", 1);

const controllers = ["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"];
const namespace = "default";
const node = "node";
const CONTROLLERS = /:endpoint/;
const STALE = /^endpoint_slice_controller_syncs\{result="stale"\} (\S+)$/m;
const OWN_SLICES = "endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io";
const GRACE_SECONDS = 600;
const { signal } = new AbortController();

interface Counted {
  readonly calls: Readonly<Record<string, Calls>>;
  /** From a change of a pod to the next write of a slice of its Service, on average during the rolling change. */
  readonly lateMs: number;
  /** The duration of the rolling change; a limit of calls per second allows more calls in a longer time. */
  readonly seconds: number;
  /** Syncs whose cache was older than the controller's last write: they end without a call and are retried later. */
  readonly stale: number;
}

async function countCalls(manager: "go" | "ours"): Promise<Counted> {
  const server = await startServer(isEmbedded, signal);
  try {
    const { client } = server;
    await client.resource(Nodes).create({ object: { metadata: { name: node } } }, signal);
    await client.resource(ServiceAccounts).create({ namespace, object: { metadata: { name: "default" } } }, signal);
    const limits = [`--kube-api-qps=${qps}`, `--kube-api-burst=${Math.ceil(1.5 * qps)}`];
    const batches = ["endpoint", "endpointslice"].map((kind) => `--${kind}-updates-batch-period=${batchMs}ms`);
    const running = await server.startManager(manager, { controllers, flags: [...limits, ...batches] });
    await quiet(server, quietMs);
    const start = server.audit.mark();
    await eachService((service) => setUp(client, service));
    await untilAll(server, 0);
    const middle = server.audit.mark();
    const counted = isInStep ? {} : { setUp: callsSince(server, start, CONTROLLERS) };
    const beginMs = performance.now();
    /** Runs a step for all Services, then waits for the controllers. */
    const inStep = async (step: (service: string) => Promise<unknown>): Promise<void> => {
      await eachService(step);
      await quiet(server, quietMs);
    };
    for (let index = 0; index < endpointCount; index++) {
      if (isInStep) {
        await inStep((service) => startPod(client, service, index, 1));
        await inStep((service) => endPod(client, service, index, GRACE_SECONDS));
        await inStep((service) => endPod(client, service, index, 0));
      } else await eachService((service) => replace(client, service, index));
    }
    await untilAll(server, 1);
    const calls = { ...counted, rolling: callsSince(server, middle, CONTROLLERS) };
    const seconds = (performance.now() - beginMs - quietMs) / 1000;
    const stale = Number(STALE.exec(await running.page("/metrics"))?.[1] ?? 0);
    return { calls, lateMs: latenessOf(server.audit.since(middle)), seconds, stale };
  } finally {
    await server.stop();
  }
}

function latenessOf(events: readonly AuditEvent[]): number {
  const serviceOf = (name = ""): string => name.split("-").slice(0, 2).join("-");
  const waiting = new Map<string, number[]>();
  const delays: number[] = [];
  const done = events.filter(({ stage, verb }) => stage === "ResponseComplete" && verb !== "watch");
  for (const { verb, objectRef, stageTimestamp } of done.sort(byTime)) {
    const service = serviceOf(objectRef?.name);
    const ms = Date.parse(stageTimestamp);
    if (objectRef?.resource === "pods" && (verb === "patch" || verb === "delete")) {
      waiting.set(service, [...(waiting.get(service) ?? []), ms]);
    } else if (objectRef?.resource === "endpointslices" && verb === "update") {
      for (const since of waiting.get(service) ?? []) delays.push(ms - since);
      waiting.delete(service);
    }
  }
  return delays.reduce((total, delay) => total + delay, 0) / delays.length;
}

const byTime = (a: AuditEvent, b: AuditEvent): number => (a.stageTimestamp < b.stageTimestamp ? -1 : 1);

async function setUp(client: Client, service: string): Promise<void> {
  const spec = { selector: { app: service }, ports: [{ port: 80 }] };
  await client.resource(Services).create({ namespace, object: { metadata: { name: service }, spec } }, signal);
  for (let index = 0; index < endpointCount; index++) await startPod(client, service, index, 0);
}

/** Replaces a pod as a rolling update does: creates the new pod first, then deletes the old one. */
async function replace(client: Client, service: string, index: number): Promise<void> {
  await startPod(client, service, index, 1);
  await endPod(client, service, index, 0);
}

/** Without a grace period the server sends two events at once. */
async function endPod(client: Client, service: string, index: number, gracePeriodSeconds: number): Promise<void> {
  const options = { gracePeriodSeconds };
  await client.resource(Pods).delete({ namespace, name: `${service}-${index}-0`, options }, signal);
}

async function startPod(client: Client, service: string, index: number, generation: number): Promise<void> {
  const name = `${service}-${index}-${generation}`;
  const pods = client.resource(Pods);
  const object = {
    metadata: { name, labels: { app: service } },
    spec: { nodeName: node, containers: [{ name: "main", image: "example/web:1" }] },
  };
  await pods.create({ namespace, object }, signal);
  const podIP = `10.${1 + generation}.${Number(service.slice(4)) % 250}.${index}`;
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: formatTime(Date.now()) }];
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
  await pods.patch({ namespace, name, type: "merge", subresource: "status", patch: { status } }, signal);
}

/** Starts the steps at the pace, even if earlier steps have not ended. */
async function eachService(step: (service: string) => Promise<unknown>): Promise<void> {
  const beginMs = performance.now();
  const steps: Promise<unknown>[] = [];
  for (let index = 0; index < serviceCount; index++) {
    await sleep(Math.max(0, beginMs + (index * 1000) / perSecond - performance.now()));
    steps.push(step(`web-${index}`));
  }
  await Promise.all(steps);
}

/** Waits until the slices contain exactly the pods of the generation and writes have stopped. */
async function untilAll(server: Server, generation: number): Promise<void> {
  for (;;) {
    await quiet(server, quietMs);
    const { items } = await server.client
      .resource(EndpointSlices)
      .list({ namespace, labelSelector: OWN_SLICES }, signal);
    const names = items.flatMap(({ endpoints }) => (endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? ""));
    const right = names.filter((name) => name.endsWith(`-${generation}`));
    if (right.length === names.length && names.length === serviceCount * endpointCount) return;
  }
}

const where = isEmbedded ? "on the embedded server, " : "";
const pace = `${where}${perSecond} steps a second${isInStep ? ", in step" : ""}, batches of ${batchMs} ms`;
stdout.write(`${serviceCount} Services of ${endpointCount} endpoints, ${pace}, ${qps} calls a second allowed\n`);
const totals: Record<"go" | "ours", number[]> = { go: [], ours: [] };
for (let round = 0; round < rounds; round++) {
  for (const manager of managers) {
    const { calls, lateMs, seconds, stale } = await countCalls(manager);
    tellCalls(manager, calls);
    const late = `${lateMs.toFixed(0)} ms from a pod's change to the slice`;
    stdout.write(`  rolling: ${seconds.toFixed(0)} s, ${late}, ${stale} syncs of slices with a stale cache\n`);
    totals[manager].push(totalCalls(calls));
  }
}
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
if (rounds > 1) stdout.write(`go ${totals.go.join(", ")}; ours ${totals.ours.join(", ")}\n`);
process.exit(sum(totals.ours) <= sum(totals.go) ? 0 : 1);
