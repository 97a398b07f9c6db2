// The watches of the garbage collector, and its behaviour when parts of the API server cannot be discovered, mapped or
// listed.

import { expect, it } from "vitest";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, Secrets } from "#api/generated/resources/core-v1.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { CollectorWorld, nothing, referenceTo, Widgets, widgets } from "./collector-world.ts";

const COLLECTOR = "generic-garbage-collector";
const MAPPER = "controller-discovery";
const PERIOD_MS = 30_000;
/** A little longer than the interval of discovery. */
const ROUND_MS = 31_000;

const isDiscovery = ({ path }: HttpRequest): boolean => path === "/api" || path === "/apis";

function withStaleGroup(response: HttpResponse, group: string): HttpResponse {
  const { body } = response;
  if (body.kind !== "bytes") return response;
  const document = JSON.parse(new TextDecoder().decode(body.bytes)) as AggregatedDiscovery;
  for (const { metadata, versions } of document.items) {
    if (metadata.name === group) for (const version of versions) version.freshness = "Stale";
  }
  return { ...response, body: { kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(document)) } };
}

interface AggregatedDiscovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { freshness?: string }[];
  }[];
}

function replicaSet(name: string) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "image" }] } };
  return { metadata: { name }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
}

it("garbage-collector/24, garbage-collector/25, garbage-collector/metrics begins after 30 seconds although a resource cannot be listed, and counts that once", async () => {
  await using stage = await CollectorWorld.open("unlistable");
  await stage.garbage("garbage");
  const intercept: Interception = ({ path }) => (path === "/api/v1/secrets" ? unavailable : undefined);
  stage.start({ intercept });
  await stage.pass(PERIOD_MS - 100);
  expect(await stage.exists(ConfigMaps, "garbage")).toBe(true);
  await stage.pass(1000);
  expect(await stage.exists(ConfigMaps, "garbage")).toBe(false);
  expect(stage.log()).toContain("not all resource monitors could be synced, proceeding anyways");
  expect(stage.log()).toContain("timed out waiting for dependency graph builder sync during GC sync");
  await stage.pass(5 * ROUND_MS);
  expect(stage.syncErrors()).toBe(1);
});

it("garbage-collector/25, garbage-collector/metrics waits for the next round when nothing can be discovered", async () => {
  await using stage = await CollectorWorld.open("undiscoverable");
  await stage.garbage("garbage");
  let isDown = true;
  const intercept: Interception = (request, who) =>
    isDown && who === COLLECTOR && isDiscovery(request) ? unavailable : undefined;
  stage.start({ intercept });
  await stage.pass(2 * ROUND_MS);
  expect([stage.syncErrors(), stage.watched().size]).toEqual([3, 0]);
  expect(await stage.exists(ConfigMaps, "garbage")).toBe(true);
  isDown = false;
  await stage.pass(ROUND_MS);
  expect(await stage.exists(ConfigMaps, "garbage")).toBe(false);
  expect(stage.syncErrors()).toBe(3);
});

it("garbage-collector/25 tries again in the next round when a resource cannot be mapped to its kind", async () => {
  await using stage = await CollectorWorld.open("unmappable");
  const documents = new Map<string, HttpResponse>();
  let isOutdated = false;
  const intercept: Interception = async (request, who, pass) => {
    if (who !== MAPPER || !isDiscovery(request)) return undefined;
    const known = isOutdated ? documents.get(request.path) : undefined;
    const document = known ?? (await pass());
    documents.set(request.path, document);
    return document;
  };
  stage.start({ intercept });
  await stage.pass(1000);
  isOutdated = true;
  await stage.define("v1");
  await stage.pass(ROUND_MS);
  expect(stage.log()).toContain("couldn't look up resource");
  expect(stage.syncErrors()).toBe(1);
  const watchesWidgets = (): boolean => stage.watched().has("/apis/example.com/v1/widgets");
  expect(watchesWidgets()).toBe(false);
  isOutdated = false;
  await stage.pass(ROUND_MS);
  expect([stage.syncErrors(), watchesWidgets()]).toEqual([1, true]);
});

it("garbage-collector/25 keeps watching what it watches while its group cannot be discovered", async () => {
  await using stage = await CollectorWorld.open("stale");
  let isStale = false;
  const intercept: Interception = async (request, who, pass) => {
    if (!isStale || who !== COLLECTOR || request.path !== "/apis") return undefined;
    return withStaleGroup(await pass(), "apps");
  };
  stage.start({ intercept });
  await stage.pass(1000);
  const set = await stage.of(ReplicaSets).create(replicaSet("owner"));
  await stage.garbage("child", { ...set, kind: "ReplicaSet" });
  isStale = true;
  await stage.define("v1");
  await stage.pass(2 * ROUND_MS);
  expect(stage.watched()).toContain("/apis/example.com/v1/widgets");
  expect(stage.log()).toContain('groups=["apps/v1"]');
  await stage.of(ReplicaSets).delete("owner");
  await stage.pass(1000);
  expect(await stage.exists(ConfigMaps, "child")).toBe(false);
});

it("garbage-collector/traps, garbage-collector/26 finds the deletions that it missed while a kind changed its version", async () => {
  await using stage = await CollectorWorld.open("versions");
  await stage.define("v1");
  const owner = await stage.of(Widgets).create({ metadata: { name: "owner" } });
  const other = await stage.of(Widgets).create({ metadata: { name: "other" } });
  await stage.garbage("child", { ...owner, kind: "Widget" });
  await stage.garbage("others-child", { ...other, kind: "Widget" });
  stage.start();
  await stage.pass(1000);
  stage.hold(Widgets);
  await stage.of(Widgets).delete("owner");
  await stage.redefine("v1", "v2");
  await stage.pass(ROUND_MS);
  expect(stage.watched()).toContain("/apis/example.com/v2/widgets");
  expect(await stage.exists(ConfigMaps, "child")).toBe(true);
  stage.release(Widgets);
  await stage.pass(1000);
  expect(await stage.exists(widgets("v2"), "other")).toBe(true);
  expect(await stage.exists(ConfigMaps, "child")).toBe(false);
  expect(stage.requests("GET").filter((target) => target.includes("others-child"))).toEqual([]);
});

it("garbage-collector/watches ends the watch of a kind that is gone, and watches metadata alone", async () => {
  await using stage = await CollectorWorld.open("endings");
  await stage.define("v1");
  stage.start();
  await stage.pass(1000);
  const informers = stage.world.log.requests.filter(({ target }) => target.includes("/configmaps"));
  expect(informers.map(({ who }) => who)).toEqual(["metadata-informers"]);
  await stage.of(CustomResourceDefinitions).delete("widgets.example.com");
  await stage.pass(2 * ROUND_MS);
  const count = (): number => stage.world.log.requests.filter(({ target }) => target.includes("/widgets")).length;
  const before = count();
  await stage.pass(10 * ROUND_MS);
  expect(count()).toBe(before);
});

it("garbage-collector/config, garbage-collector/queues ignores the resources that it is told to ignore", async () => {
  await using stage = await CollectorWorld.open("ignored");
  stage.start({ config: { GCIgnoredResources: [{ Group: "", Resource: "secrets" }] } });
  await stage.pass(1000);
  await stage.of(Secrets).create({ metadata: { name: "kept", ownerReferences: [referenceTo(nothing)] } });
  await stage.garbage("garbage");
  await stage.pass(1000);
  expect([await stage.exists(Secrets, "kept"), await stage.exists(ConfigMaps, "garbage")]).toEqual([true, false]);
  expect(stage.watched()).not.toContain("/api/v1/secrets");
  expect(stage.watched()).toContain("/api/v1/events");
  const queues = ["graph_changes", "attempt_to_delete", "attempt_to_orphan"];
  for (const queue of queues) {
    expect(stage.series(`workqueue_adds_total{name="garbage_collector_${queue}"}`)).toHaveLength(1);
  }
});

it("garbage-collector/about, machinery/1.7.r87 is not built when --enable-garbage-collector is false", async () => {
  await using stage = await CollectorWorld.open("off");
  stage.start({ config: { EnableGarbageCollector: false } });
  await stage.garbage("garbage");
  await stage.pass(ROUND_MS);
  expect(stage.log()).toContain('"Warning: skipping controller" controller="garbage-collector-controller"');
  expect([stage.requests("GET"), stage.watched().size]).toEqual([[], 0]);
});

it.each([3, 20])(
  "garbage-collector/config, machinery/1.7.r86 works on %i objects at once, as --concurrent-gc-syncs says",
  async (workers) => {
    await using stage = await CollectorWorld.open("workers");
    let current = 0;
    let most = 0;
    const intercept: Interception = async ({ method }, who, pass) => {
      if (method !== "DELETE" || who !== COLLECTOR) return undefined;
      most = Math.max(most, ++current);
      await stage.world.clock.sleep(1000, new AbortController().signal);
      current--;
      return await pass();
    };
    for (let i = 0; i < 60; i++) await stage.garbage(`garbage-${i}`);
    stage.start({ config: { ConcurrentGCSyncs: workers }, intercept });
    await stage.pass(ROUND_MS);
    expect([most, current]).toEqual([workers, 0]);
    expect(await stage.exists(ConfigMaps, "garbage-59")).toBe(false);
  },
);

it("garbage-collector/writes may ask twice as often as --kube-api-qps says", async () => {
  await using stage = await CollectorWorld.open("qps");
  for (let i = 0; i < 200; i++) await stage.garbage(`garbage-${i}`);
  stage.start({ qps: 5 });
  await stage.pass(5000);
  const before = stage.requests("GET").length + stage.requests("DELETE").length;
  await stage.pass(10_000);
  const made = stage.requests("GET").length + stage.requests("DELETE").length - before;
  expect(made).toBeGreaterThanOrEqual(99);
  expect(made).toBeLessThanOrEqual(101);
});
