// The garbage collector on the real API server: ten thousand dependents while definitions come and go and one group
// cannot be discovered. It deletes exactly the right objects, each once.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { apiVersionOf } from "#api/object.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { describeReal, eventually } from "#test/real/suite.ts";
import { realApis } from "#test/stage/real-apis.ts";
import { Forest, type Tree, Widgets } from "./forest.ts";

const COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";
const LIMIT_MS = 900_000;
/** A little longer than the interval of discovery, which finds new kinds. */
const ROUND_MS = 35_000;
const PASSING_KINDS = 4;
const PASSING_DEPENDENTS = 10;
const ourProgram = join(import.meta.dirname, "..", "..", "src", "cmd", "kube-controller-manager.ts");
/** Logs only the writes of the garbage collector in full: there are ten thousand objects. */
const auditRules = [{ level: "Request", users: [COLLECTOR], verbs: ["delete", "patch"] }, { level: "None" }];

interface Deletion {
  readonly uid: string;
  readonly code: number;
}

describeReal("the garbage collector and ten thousand dependents", () => {
  const { signal } = new AbortController();
  let plane: ControlPlane;
  let client: Client;
  let manager: RunningManager;

  beforeAll(async () => {
    plane = await startControlPlane({ auditRules });
    const { certificatePem: cert, keyPem: key } = plane.admin;
    const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
    client = createClient({ transport, clock: systemClock, userAgent: "torture" });
    manager = await plane.startManager([process.execPath, ourProgram], {
      controllers: ["garbage-collector-controller"],
      flags: ["--kube-api-qps=1000", "--kube-api-burst=2000", "--service-account-private-key-file="],
    });
  }, LIMIT_MS);
  afterAll(() => plane?.stop(), LIMIT_MS);

  it(
    "garbage-collector/tests, garbage-collector/25 the right objects die, once, and no object of a living owner",
    async () => {
      for (const name of Forest.namespaces) await plane.request("POST", "/api/v1/namespaces", { metadata: { name } });
      await realApis(plane, client).serve("forest", { groupVersion: "broken.example.com/v1" });
      await define(client, Widgets, signal);
      await untilCollected(client, Widgets, signal);

      const forest = new Forest(client, seededRng("forest"), signal);
      await forest.plant();
      expect(forest.dependents.length).toBeGreaterThanOrEqual(9990);
      const passing = passingKinds(client, signal);
      await forest.fell();
      const passed = await passing;

      const doomed = new Set(forest.trees.filter(({ fate }) => fate === "dies").map(({ uid }) => uid));
      await eventually(async () => {
        expect(manager.isRunning).toBe(true);
        const left = [...(await forest.list()).keys()].filter((uid) => doomed.has(uid));
        return left.length === 0 || undefined;
      }, LIMIT_MS);
      for (const name of passed) {
        await eventually(async () => !(await exists(client, name, signal)) || undefined, LIMIT_MS);
      }
      await systemClock.sleep(3000, signal);

      const found = await forest.list();
      const staying = forest.trees.filter(({ fate }) => fate === "stays");
      expect(staying.filter(({ uid }) => !found.has(uid)).map(({ name }) => name)).toEqual([]);
      expect(found.size).toBe(staying.length);
      expect(
        staying.filter((tree) => ownersOf(found, tree) !== tree.keptOwners.join()).map(({ name }) => name),
      ).toEqual([]);
      expect(manager.log()).toContain('"failed to discover some groups"');
      expectOneDeletionEach(forest, deletions(plane));
    },
    LIMIT_MS,
  );
});

function ownersOf(found: ReadonlyMap<string, StoredObject>, { uid }: Tree): string {
  return (found.get(uid)?.metadata.ownerReferences ?? []).map(({ name }) => name).join();
}

/** Successful deletes, by the UID in their precondition. */
function deletions({ audit }: ControlPlane): readonly Deletion[] {
  return audit.since().flatMap(({ stage, verb, requestObject, responseStatus }) => {
    const { preconditions = {} } = (requestObject ?? {}) as { preconditions?: { uid?: string } };
    if (verb !== "delete" || stage !== "ResponseComplete" || responseStatus?.code !== 200) return [];
    return [{ uid: preconditions.uid ?? "no UID", code: 200 }];
  });
}

function expectOneDeletionEach(forest: Forest, made: readonly Deletion[]): void {
  const counts = new Map<string, number>();
  for (const { uid } of made) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  expect(counts.get("no UID")).toBeUndefined();
  const countOf = ({ uid }: Tree): number => counts.get(uid) ?? 0;
  const named = (trees: readonly Tree[]): readonly string[] => trees.map((tree) => `${tree.name}: ${countOf(tree)}`);
  const dying = forest.dependents.filter(({ fate }) => fate === "dies");
  // An object that waits for its own dependents is deleted again until the watch shows its deletion.
  const isRight = (tree: Tree): boolean => (tree.waits ? countOf(tree) >= 1 : countOf(tree) === 1);
  expect(named(dying.filter((tree) => !isRight(tree)))).toEqual([]);
  expect(named(forest.trees.filter((tree) => tree.fate === "stays" && countOf(tree) > 0))).toEqual([]);
}

/** Kinds that are defined, own objects, and are deleted; returns the names of the owned objects. */
async function passingKinds(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const one = async (index: number): Promise<readonly string[]> => {
    const resource = handle(`Passing${index}`);
    await define(client, resource, signal);
    await untilCollected(client, resource, signal);
    const [namespace = ""] = Forest.namespaces;
    const object = { metadata: { name: "owner" } };
    const { metadata } = await client.resource(resource).create({ namespace, object }, signal);
    const owner = { apiVersion: apiVersionOf(resource), kind: resource.kind, name: "owner", uid: metadata.uid };
    const names = Array.from({ length: PASSING_DEPENDENTS }, (_, i) => `passing-${index}-${i}`);
    for (const name of names) {
      const dependent = { metadata: { name, ownerReferences: [owner] } };
      await client.resource(ConfigMaps).create({ namespace, object: dependent }, signal);
    }
    await systemClock.sleep(1000, signal);
    const definition = `${resource.resource}.${resource.group}`;
    await client.resource(CustomResourceDefinitions).delete({ name: definition }, signal);
    return names;
  };
  const names: string[] = [];
  for (let i = 0; i < PASSING_KINDS; i += 2) names.push(...(await Promise.all([one(i), one(i + 1)])).flat());
  return names;
}

function handle(kind: string): Resource<StoredObject> {
  const resource = `${kind.toLowerCase()}s`;
  return resourceHandle({ group: "passing.example.com", version: "v1", resource, kind, scope: "Namespaced" });
}

async function define(client: Client, resource: Resource<StoredObject>, signal: AbortSignal): Promise<void> {
  const { group, resource: plural, kind } = resource;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const object = { metadata: { name: `${plural}.${group}` }, spec: { group, scope: "Namespaced", names, versions } };
  await client.resource(CustomResourceDefinitions).create({ object }, signal);
  await eventually(() =>
    client
      .resource(resource)
      .list({}, signal)
      .then(
        () => true as const,
        () => undefined,
      ),
  );
}

/** Waits until the garbage collector watches the kind. */
async function untilCollected(client: Client, resource: Resource<StoredObject>, signal: AbortSignal): Promise<void> {
  const [namespace = ""] = Forest.namespaces;
  const nothing = { apiVersion: "v1", kind: "ConfigMap", name: "nothing", uid: `no-${resource.kind}` };
  const object = { metadata: { name: "garbage", ownerReferences: [nothing] } };
  await client.resource(resource).create({ namespace, object }, signal);
  await eventually(async () => {
    const { items } = await client.resource(resource).list({ namespace }, signal);
    return items.length === 0 || undefined;
  }, 4 * ROUND_MS);
}

async function exists(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  const [namespace = ""] = Forest.namespaces;
  const { items } = await client
    .metadata(ConfigMaps)
    .list({ namespace, fieldSelector: `metadata.name=${name}` }, signal);
  return items.length > 0;
}
