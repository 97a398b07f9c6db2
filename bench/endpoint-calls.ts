// Counts the API calls of the controllers of endpoints, ours against the Go manager's: Services with pods behind them
// are set up, and then all pods are replaced one by one, in all Services at the same time. The pace is the same for both:
// who is late sees several changes as one.
//   bun bench/endpoint-calls.ts [--services=500] [--endpoints=20] [--per-second=50] [--qps=20]
// Ends with an error when ours make more calls. Nothing is written.

import { argv, stdout } from "node:process";
import { Nodes, Pods, ServiceAccounts, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { formatTime } from "#api/time.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";

const option = (name: string, usual: number): number => {
  const given = argv.findLast((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? usual : Number(given.slice(name.length + 3));
};
const serviceCount = option("services", 500);
const endpointCount = option("endpoints", 20);
const perSecond = option("per-second", 50);
/** --kube-api-qps of each controller's client. */
const qps = option("qps", 20);

const controllers = ["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"];
const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;
const namespace = "default";
const node = "node";
const QUIET_MS = 3000;
const OWN_SLICES = "endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io";
const { signal } = new AbortController();

/** By what was asked and answered: "update endpoints 200". */
type Calls = Readonly<Record<string, number>>;

/** The calls of the controllers in each part of the work. */
interface Counts {
  readonly setUp: Calls;
  readonly rolling: Calls;
}

async function countCalls(manager: "go" | "ours"): Promise<Counts> {
  // The usual range has 254 addresses.
  const plane = await startControlPlane({ apiServerFlags: ["--service-cluster-ip-range=10.96.0.0/12"] });
  try {
    const client = await adminClient(plane);
    await client.resource(Nodes).create({ object: { metadata: { name: node } } }, signal);
    await client.resource(ServiceAccounts).create({ namespace, object: { metadata: { name: "default" } } }, signal);
    const options = { controllers, flags: [`--kube-api-qps=${qps}`, `--kube-api-burst=${Math.ceil(1.5 * qps)}`] };
    if (manager === "go") await plane.startGoManager(options);
    else await plane.startManager([process.execPath, ourProgram], options);
    await quiet(plane);
    const start = plane.audit.mark();
    await eachService((service) => setUp(client, service));
    await untilAll(client, plane, 0);
    const middle = plane.audit.mark();
    const counted = { setUp: callsSince(plane, start) };
    for (let index = 0; index < endpointCount; index++) await eachService((service) => replace(client, service, index));
    await untilAll(client, plane, 1);
    return { ...counted, rolling: callsSince(plane, middle) };
  } finally {
    await plane.stop();
  }
}

function callsSince(plane: ControlPlane, mark: number): Calls {
  const calls = plane.audit
    .since(mark)
    .filter(
      ({ stage, user, verb }) => stage === "ResponseComplete" && verb !== "watch" && /:endpoint/.test(user.username),
    )
    .map(({ verb, objectRef, responseStatus }) => `${verb} ${objectRef?.resource} ${responseStatus?.code}`);
  return Object.fromEntries(Array.from(Map.groupBy(calls.toSorted(), String), ([call, all]) => [call, all.length]));
}

async function setUp(client: Client, service: string): Promise<void> {
  const spec = { selector: { app: service }, ports: [{ port: 80 }] };
  await client.resource(Services).create({ namespace, object: { metadata: { name: service }, spec } }, signal);
  for (let index = 0; index < endpointCount; index++) await startPod(client, service, index, 0);
}

/** What a rolling update does: the new pod first, then the old one goes. */
async function replace(client: Client, service: string, index: number): Promise<void> {
  await startPod(client, service, index, 1);
  const options = { gracePeriodSeconds: 0 };
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

/** Begins one step after the other at the pace, however long each takes. */
async function eachService(step: (service: string) => Promise<void>): Promise<void> {
  const beginMs = performance.now();
  const steps: Promise<void>[] = [];
  for (let index = 0; index < serviceCount; index++) {
    await sleep(Math.max(0, beginMs + (index * 1000) / perSecond - performance.now()));
    steps.push(step(`web-${index}`));
  }
  await Promise.all(steps);
}

/** Until the slices hold all pods of the generation and no other, and nothing is written any more. */
async function untilAll(client: Client, plane: ControlPlane, generation: number): Promise<void> {
  for (;;) {
    await quiet(plane);
    const { items } = await client.resource(EndpointSlices).list({ namespace, labelSelector: OWN_SLICES }, signal);
    const names = items.flatMap(({ endpoints }) => (endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? ""));
    const right = names.filter((name) => name.endsWith(`-${generation}`));
    if (right.length === names.length && names.length === serviceCount * endpointCount) return;
  }
}

async function quiet(plane: ControlPlane): Promise<void> {
  let size = plane.audit.mark();
  for (let since = performance.now(); performance.now() - since < QUIET_MS; await sleep(100)) {
    const now = plane.audit.mark();
    if (now !== size) since = performance.now();
    size = now;
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function adminClient(plane: ControlPlane): Promise<Client> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  return createClient({ transport, clock: systemClock, userAgent: "bench" });
}

const sum = (calls: Calls): number => Object.values(calls).reduce((total, count) => total + count, 0);
const total = ({ setUp, rolling }: Counts): number => sum(setUp) + sum(rolling);

function tell(manager: string, counts: Counts): void {
  stdout.write(`${manager}: ${total(counts)} calls\n`);
  for (const [part, calls] of Object.entries(counts)) {
    const shown = Object.entries(calls).map(([call, count]) => `${count} ${call}`);
    stdout.write(`  ${part}: ${sum(calls)} (${shown.join(", ")})\n`);
  }
}

stdout.write(
  `${serviceCount} Services of ${endpointCount} endpoints, ${perSecond} steps a second, ${qps} calls a second allowed\n`,
);
const go = await countCalls("go");
tell("go", go);
const ours = await countCalls("ours");
tell("ours", ours);
process.exit(total(ours) <= total(go) ? 0 : 1);
