// Counts the API calls of the namespace controller, ours and the Go manager's, for the deletion of a namespace with
// objects of thirty kinds, two of them custom.
//   bun bench/namespace-calls.ts [--quick | --objects=3000]
// Ends with an error if ours makes more calls, or if either leaves an object. Nothing is written.

import { argv, stdout } from "node:process";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, startControlPlane } from "#test/real/control-plane.ts";
import { customKinds, definitionOf, namespacedKinds, objectOf } from "./namespace-content.ts";

const given = argv.findLast((argument) => argument.startsWith("--objects="));
const objectCount = given === undefined ? (argv.includes("--quick") ? 300 : 3000) : Number(given.slice(10));

const ourProgram = new URL("../src/cmd/kube-controller-manager.ts", import.meta.url).pathname;
const namespace = "full";
const neighbour = "neighbour";
const WRITERS = 16;
const QUIET_MS = 3000;
const USER = "system:serviceaccount:kube-system:namespace-controller";
const { signal } = new AbortController();

/** By request and status code: "deletecollection pods 200". */
type Calls = Readonly<Record<string, number>>;

async function countCalls(manager: "go" | "ours"): Promise<Calls> {
  const plane = await startControlPlane();
  try {
    const client = await adminClient(plane);
    for (const name of [namespace, neighbour]) {
      await client.resource(Namespaces).create({ object: { metadata: { name } } }, signal);
    }
    await client.resource(ConfigMaps).create({ namespace: neighbour, object: { metadata: { name: "kept" } } }, signal);
    await fill(client);
    const options = { controllers: ["namespace-controller"] };
    if (manager === "go") await plane.startGoManager(options);
    else await plane.startManager([process.execPath, ourProgram], options);
    await quiet(plane);
    const start = plane.audit.mark();
    await client.resource(Namespaces).delete({ name: namespace }, signal);
    await untilGone(client);
    await quiet(plane);
    await checkRest(client);
    return callsSince(plane, start);
  } finally {
    await plane.stop();
  }
}

/** The kinds take turns, so that their numbers of objects differ by at most one. */
async function fill(client: Client): Promise<void> {
  for (const kind of customKinds) {
    await client.resource(CustomResourceDefinitions).create({ object: definitionOf(kind) }, signal);
  }
  for (const { resource } of customKinds) {
    await until(() =>
      client
        .resource(resource)
        .list({ namespace }, signal)
        .then(() => true)
        .catch(isNotFoundOrThrow),
    );
  }
  for (const kind of namespacedKinds) {
    const count = Math.ceil((objectCount - namespacedKinds.indexOf(kind)) / namespacedKinds.length);
    const indexes = Array.from({ length: count }, (_, index) => index).values();
    const write = async (): Promise<void> => {
      for (const index of indexes) {
        await client.resource(kind.resource).create({ namespace, object: objectOf(kind, index) as never }, signal);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }
}

function isNotFoundOrThrow(error: unknown): false {
  if (isNotFound(error)) return false;
  throw error;
}

async function untilGone(client: Client): Promise<void> {
  await until(async () => {
    const { items } = await client.resource(Namespaces).list({}, signal);
    return items.every(({ metadata }) => metadata.name !== namespace);
  });
}

/** Checks that nothing is left of the namespace and that other objects are untouched. */
async function checkRest(client: Client): Promise<void> {
  for (const { resource } of namespacedKinds) {
    const { items } = await client.resource(resource).list({ namespace }, signal);
    if (items.length > 0) throw new Error(`${items.length} ${resource.resource} are left`);
  }
  await client.resource(ConfigMaps).get({ namespace: neighbour, name: "kept" }, signal);
}

function callsSince(plane: ControlPlane, mark: number): Calls {
  const calls = plane.audit
    .since(mark)
    .filter(({ stage, user, verb }) => stage === "ResponseComplete" && verb !== "watch" && user.username === USER)
    .map(({ verb, objectRef, requestURI, responseStatus }) => {
      const what = objectRef?.resource ?? requestURI.replace(/\?.*/, "");
      return `${verb} ${[what, objectRef?.subresource ?? []].flat().join("/")} ${responseStatus?.code}`;
    });
  return Object.fromEntries(Array.from(Map.groupBy(calls.toSorted(), String), ([call, all]) => [call, all.length]));
}

async function quiet(plane: ControlPlane): Promise<void> {
  const own = (): number => plane.audit.since(0).filter(({ user }) => user.username === USER).length;
  let size = own();
  for (let since = performance.now(); performance.now() - since < QUIET_MS; await sleep(500)) {
    const now = own();
    if (now !== size) since = performance.now();
    size = now;
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(250);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function adminClient(plane: ControlPlane): Promise<Client> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  return createClient({ transport, clock: systemClock, userAgent: "bench" });
}

const total = (calls: Calls): number => Object.values(calls).reduce((sum, count) => sum + count, 0);

function tell(manager: string, calls: Calls): void {
  const verbs = Map.groupBy(Object.entries(calls), ([call]) => call.split(" ")[0] ?? "");
  const shown = [...verbs].map(([verb, all]) => `${all.reduce((sum, [, count]) => sum + count, 0)} ${verb}`);
  stdout.write(`${manager}: ${total(calls)} calls (${shown.join(", ")})\n`);
}

stdout.write(`${objectCount} objects of ${namespacedKinds.length} kinds\n`);
const go = await countCalls("go");
tell("go", go);
const ours = await countCalls("ours");
tell("ours", ours);
for (const call of new Set([...Object.keys(go), ...Object.keys(ours)])) {
  const counts = [go[call] ?? 0, ours[call] ?? 0];
  if (counts[0] !== counts[1]) stdout.write(`  ${call}: go ${counts[0]}, ours ${counts[1]}\n`);
}
process.exit(total(ours) <= total(go) ? 0 : 1);
