// Counts the API calls of the controllers of endpoints, ours against the Go manager's: Services with pods behind them
// are set up, and then all pods are replaced one by one, in all Services at the same time.
//   bun bench/endpoint-calls.ts [--services=500] [--endpoints=20] [--at-once=25]
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
const atOnce = option("at-once", 25);

const controllers = ["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"];
const flags = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;
const namespace = "default";
const node = "node";
const QUIET_MS = 3000;
const OWN_SLICES = "endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io";
const { signal } = new AbortController();

/** The calls of the controllers in each part of the work. */
interface Counts {
  readonly setUp: number;
  readonly rolling: number;
}

async function countCalls(manager: "go" | "ours"): Promise<Counts> {
  const plane = await startControlPlane();
  try {
    const client = await adminClient(plane);
    await client.resource(Nodes).create({ object: { metadata: { name: node } } }, signal);
    await client.resource(ServiceAccounts).create({ namespace, object: { metadata: { name: "default" } } }, signal);
    const options = { controllers, flags };
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

function callsSince(plane: ControlPlane, mark: number): number {
  const isOurs = ({ stage, user, verb }: ReturnType<typeof plane.audit.since>[number]): boolean =>
    stage === "ResponseComplete" && verb !== "watch" && /:endpoint/.test(user.username);
  return plane.audit.since(mark).filter(isOurs).length;
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

async function eachService(step: (service: string) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < serviceCount; index = next++) await step(`web-${index}`);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
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

const tell = (manager: string, { setUp, rolling }: Counts): void => {
  stdout.write(`${manager}: ${setUp} calls to set up, ${rolling} calls for the rolling change\n`);
};

stdout.write(`${serviceCount} Services of ${endpointCount} endpoints, ${atOnce} Services at once\n`);
const go = await countCalls("go");
tell("go", go);
const ours = await countCalls("ours");
tell("ours", ours);
process.exit(ours.setUp + ours.rolling <= go.setUp + go.rolling ? 0 : 1);
