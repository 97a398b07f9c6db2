// Migrations with caches that lag or never fill, with refused writes and with missing resources.

import { expect, it } from "vitest";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { ConfigMaps, LimitRanges, PodTemplates, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { StorageVersionMigrations } from "#api/generated/resources/storagemigration-v1beta1.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import type { HttpResponse } from "#base/http.ts";
import { jsonResponse } from "#client/testing.ts";
import { type Interception, refusal, unavailable } from "#test/stage/faulty-network.ts";
import { NAMESPACE, WireStage } from "#test/stage/wire-stage.ts";

const IDENTITY = "storage-version-migrator-controller";
const gates = { StorageVersionMigrator: true };
const MINUTE_MS = 60_000;

type Target = Pick<Resource<StoredObject>, "group" | "resource">;

class MigrationWorld extends WireStage {
  static async open(seed: string, intercept: Interception = () => undefined): Promise<MigrationWorld> {
    const server = { serverGates: gates, runtimeConfig: { "storagemigration.k8s.io/v1beta1": "true" } };
    const world = await new MigrationWorld({
      controllers: [IDENTITY, "garbage-collector-controller"],
      seed,
      ...server,
    }).opened();
    for (const name of ["a", "b", "c"]) await world.of(ConfigMaps).create({ metadata: { name } });
    world.startManager({ gates, intercept });
    await world.pass(5000);
    return world;
  }

  async migration(name: string, { group, resource }: Target = ConfigMaps): Promise<void> {
    const migration = { metadata: { name }, spec: { resource: { group, resource } } };
    await this.of(StorageVersionMigrations).create(migration);
    await this.pass(500);
  }

  /** Causes an event, which advances the cache's resource version. */
  async letCacheFollow(): Promise<void> {
    await this.of(ConfigMaps).create({ metadata: { name: "later" } });
    await this.pass(MINUTE_MS);
  }

  /** "Failed: …", the true conditions, or "". */
  async outcome(name: string): Promise<string> {
    const { status } = (await this.of(StorageVersionMigrations).find(name)) ?? {};
    const held = (status?.conditions ?? []).filter((condition) => condition.status === "True");
    const ended = held.find(({ type }) => type !== "Running");
    return ended === undefined ? held.map(({ type }) => type).join() : [ended.type, ended.message].join(": ");
  }

  written(): readonly string[] {
    const targets = this.requests("PATCH").filter((target) => target.includes(`/${NAMESPACE}/configmaps/`));
    return targets.map((target) => target.replace(/^.*\/|\?.*/g, ""));
  }
}

const isWrite = (method: string, path: string, who: string, name = ""): boolean =>
  who === IDENTITY && method === "PATCH" && path.includes(`/${NAMESPACE}/configmaps/${name}`);

it("storage-version-migrator/6, storage-version-migrator/tests waits until the cache has come to the version that was noted", async () => {
  await using world = await MigrationWorld.open("lag");
  await world.migration("m");
  await world.pass(10_000);
  expect(await world.outcome("m")).toBe("Running");
  expect(world.retries(IDENTITY)).toBeGreaterThan(3);
  expect(world.written()).toEqual([]);
  await world.letCacheFollow();
  expect(await world.outcome("m")).toBe("Succeeded: ");
  expect(world.written()).toEqual(["a", "b", "c"]);
});

it("storage-version-migrator/6, storage-version-migrator/traps fails when the cache is not filled within a minute", async () => {
  const intercept: Interception = ({ method, path }, who) =>
    who.endsWith("-informers") && method === "GET" && path.endsWith("/configmaps") ? unavailable : undefined;
  await using world = await MigrationWorld.open("no-cache", intercept);
  await world.migration("m");
  await world.pass(0.8 * MINUTE_MS);
  expect(await world.outcome("m")).toBe("Running");
  await world.pass(2 * MINUTE_MS);
  const why = "migration encountered unhandled error: resource does not exist in GC: %!w(<nil>)";
  expect(await world.outcome("m")).toBe(`Failed: ${why}`);
});

it("storage-version-migrator/6 fails for a resource that is gone since its version was noted, after a minute", async () => {
  await using world = await MigrationWorld.open("gone");
  await world.migration("m", { group: "example.com", resource: "things" });
  await world.of(StorageVersionMigrations).patch("m", { status: { resourceVersion: "5" } }, { subresource: "status" });
  await world.pass(0.8 * MINUTE_MS);
  expect(await world.outcome("m")).toBe("Running");
  await world.pass(2 * MINUTE_MS);
  const why = "migration encountered unhandled error: unable to obtain GVR from discovery";
  expect(await world.outcome("m")).toBe(`Failed: ${why}`);
});

it("storage-version-migrator/6 leaves a migration that has ended", async () => {
  await using world = await MigrationWorld.open("ended");
  await world.migration("m");
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const ended = { type: "Failed", status: "True", reason: "Given", message: "up", lastTransitionTime };
  await world.of(StorageVersionMigrations).patch("m", { status: { conditions: [ended] } }, { subresource: "status" });
  await world.letCacheFollow();
  expect(world.written()).toEqual([]);
});

it("storage-version-migrator/reads-live does not wait longer than 32 seconds for discovery", async () => {
  await using world = await MigrationWorld.open("discovery");
  await world.migration("m");
  const asked = world.requests("GET").filter((target) => /^\/api\/v1(\?|$)/.test(target));
  expect(new Set(asked)).toEqual(new Set(["/api/v1?timeout=32s"]));
});

it("storage-version-migrator/tests counts a conflict as migrated", async () => {
  const intercept: Interception = ({ method, path }, who) =>
    isWrite(method, path, who, "b") ? refusal(409, "Conflict") : undefined;
  await using world = await MigrationWorld.open("conflict", intercept);
  await world.migration("m");
  await world.letCacheFollow();
  expect(await world.outcome("m")).toBe("Succeeded: ");
  expect(world.written()).toEqual(["a", "b", "c"]);
});

it("storage-version-migrator/tests fails with an error that does not pass", async () => {
  const intercept: Interception = ({ method, path }, who) =>
    isWrite(method, path, who, "b") ? refusal(403, "Forbidden") : undefined;
  await using world = await MigrationWorld.open("forbidden", intercept);
  await world.migration("m");
  await world.letCacheFollow();
  expect(await world.outcome("m")).toBe("Failed: migration encountered unhandled error: it is Forbidden");
  expect(world.written()).toEqual(["a", "b"]);
});

it("storage-version-migrator/traps, storage-version-migrator/tests begins anew after an error that passes, without what was written since", async () => {
  let refusals = 0;
  const intercept: Interception = async ({ method, path }, who) => {
    if (!isWrite(method, path, who)) return undefined;
    if (path.endsWith("/c")) return refusals++ === 0 ? unavailable : undefined;
    // With another storage version the write would be a change.
    const name = path.slice(-1);
    const patch = { metadata: { labels: { written: "yes" } } };
    await world.world.client
      .resource(ConfigMaps)
      .patch({ namespace: NAMESPACE, name, type: "merge", patch }, new AbortController().signal);
    return jsonResponse({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  };
  await using world = await MigrationWorld.open("anew", (request, who, pass) => intercept(request, who, pass));
  await world.migration("m");
  await world.letCacheFollow();
  expect(await world.outcome("m")).toBe("Succeeded: ");
  expect(world.written()).toEqual(["a", "b", "c", "c"]);
});

it("storage-version-migrator/traps tries events for ever, which have no cache", async () => {
  await using world = await MigrationWorld.open("events");
  await world.migration("m", { group: "", resource: "events" });
  await world.pass(30 * MINUTE_MS);
  expect(await world.outcome("m")).toBe("Running");
  expect(world.retries(IDENTITY)).toBeGreaterThan(10);
});

it("storage-version-migrator/tests fails when the version that a list has cannot be compared", async () => {
  const intercept: Interception = ({ method, path }, who) =>
    who === IDENTITY && method === "GET" && path.endsWith("/configmaps")
      ? jsonResponse({ kind: "PartialObjectMetadataList", metadata: { resourceVersion: "0" }, items: [] })
      : undefined;
  await using world = await MigrationWorld.open("incomparable", intercept);
  await world.migration("m");
  await world.pass(1000);
  expect(await world.outcome("m")).toContain(
    "Failed: latest resourceVersion for /v1, Resource=configmaps is not valid",
  );
});

const six: readonly Resource<StoredObject>[] = [
  ConfigMaps,
  Secrets,
  ServiceAccounts,
  LimitRanges,
  PodTemplates,
  Leases,
];

/** The number of the controller's pending requests when none is answered. */
async function underWay(seed: string, isHeld: (method: string, path: string) => boolean): Promise<number> {
  let count = 0;
  const intercept: Interception = ({ method, path }, who) => {
    if (who !== IDENTITY || !isHeld(method, path)) return undefined;
    count++;
    return new Promise<HttpResponse>(() => undefined);
  };
  const world = await MigrationWorld.open(seed, intercept);
  const content = { spec: { limits: [] }, template: { spec: { containers: [{ name: "main", image: "i" }] } } };
  const make = (resource: Resource<StoredObject>, name: string): Promise<StoredObject> => {
    const more =
      resource === LimitRanges
        ? { spec: content.spec }
        : resource === PodTemplates
          ? { template: content.template }
          : {};
    const object = { metadata: { name }, ...more };
    return world.of(resource).create(object);
  };
  for (const resource of six) await make(resource, "x");
  for (const resource of six) await world.migration(`m-${resource.resource}`, resource);
  for (const resource of six) await make(resource, "y");
  await world.pass(MINUTE_MS);
  return count;
}

it.each([
  { what: "starts one migration at a time", isHeld: (method: string) => method === "PUT", expected: 1 },
  {
    what: "notes the version of one migration at a time",
    isHeld: (method: string, path: string) => method === "GET" && path.includes("@fake"),
    expected: 1,
  },
  { what: "writes for five migrations at a time", isHeld: (method: string) => method === "PATCH", expected: 5 },
])("storage-version-migrator/three-loops $what", async ({ what, isHeld, expected }) => {
  expect(await underWay(what, isHeld)).toBe(expected);
});

it("storage-version-migrator/three-loops has two names for three queues", async () => {
  await using world = await MigrationWorld.open("queues");
  const queues = world.series("workqueue_adds_total{").map((line) => /name="([^"]*)"/.exec(line)?.[1] ?? "");
  expect(queues.filter((name) => !name.startsWith("garbage")).sort()).toEqual([
    "resource-version-controller",
    IDENTITY,
  ]);
});

it.each([
  { group: "autoscaling", resource: "horizontalpodautoscalers", path: "/apis/autoscaling/v2/" },
  { group: "", resource: "events", path: "/api/v1/" },
  { group: "events.k8s.io", resource: "events", path: "/apis/events.k8s.io/v1/" },
])(
  "storage-version-migrator/tests takes $resource of the group '$group' in the version that is preferred",
  async (target) => {
    await using world = await MigrationWorld.open("versions");
    await world.migration("m", target);
    const lists = world.requests("GET").filter((found) => found.includes("limit=1"));
    expect(lists).toHaveLength(1);
    expect(lists[0]?.startsWith(target.path)).toBe(true);
    const { status } = (await world.of(StorageVersionMigrations).find("m")) ?? {};
    expect(status?.resourceVersion).toMatch(/^[1-9][0-9]*$/);
  },
);
