// The replica engine's requests to the API server: its reads and writes, their user, their concurrency, and the
// reaction to refusals. On the embedded server, under the virtual clock.

import { afterEach, describe, expect, it } from "vitest";
import { Events, Namespaces, Pods } from "#api/generated/resources/core-v1.ts";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { SyncRecord, SyncTrace } from "#kit/trace.ts";
import { EVERY_TIME, forbidden, refusal } from "#test/stage/faulty-network.ts";
import { barePod, makeReady } from "#test/stage/pods.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, scale, objects, untilReplicas } = controls(replicaSets);
const { make } = replicaSets;
const HOUR = 3_600_000;

let stage: WireStage;
let syncs: SyncRecord[];
afterEach(() => stage.stop());

async function open(more: Partial<WireOptions> = {}): Promise<void> {
  syncs = [];
  const trace: SyncTrace = {
    queued: () => undefined,
    started: (record) => syncs.push(record),
    finished: () => undefined,
  };
  stage = await openWire({ controllers: ["replicaset-controller"], trace, ...more });
}

const asked = (): readonly string[] => stage.asked();
const count = (matches: (line: string) => boolean): number => asked().filter(matches).length;
const creates = (): number => count((line) => line === "POST pods");

describe("reads", () => {
  it("replicaset/watches one watch each of all ReplicaSets and all pods, by the client of the shared informers", async () => {
    await open();
    await create(stage, 2);
    expect(stage.watches()).toEqual(["shared-informers /api/v1/pods", "shared-informers /apis/apps/v1/replicasets"]);
  });

  it("replicaset/watches, workloads/S3, workloads/S4 the resync after 12 to 24 hours drives sets, but not pods", async () => {
    await open();
    await create(stage, 1);
    await stage.pass(60_000);
    const before = syncs.length;
    const startedMs = stage.now();
    await stage.pass(24 * HOUR);
    const resyncs = syncs.slice(before);
    expect(resyncs.length).toBeGreaterThan(0);
    const [first] = resyncs;
    expect((first?.startedMs ?? 0) - startedMs).toBeGreaterThan(11.9 * HOUR);
    const causes = resyncs.flatMap((record) =>
      record.causes.map((cause) => ("resource" in cause ? cause.resource : "")),
    );
    expect([...new Set(causes)]).toEqual(["replicasets"]);
  });

  it("workloads/S4 nothing is synced before every cache is filled", async () => {
    await open({ prepare: (network) => network.hold("WATCH pods") });
    await objects(stage).create(make("web", 2));
    await stage.pass(5_000);
    expect(syncs).toEqual([]);
    stage.network.pass();
    await untilReplicas(stage, 2);
    expect(creates()).toBe(2);
  });

  it("replicaset/reads-live the set, once before it adopts, and never a pod", async () => {
    await open();
    for (const name of ["first", "second", "third"]) await stage.of(Pods).create(barePod(name));
    await stage.pass(1_000);
    await create(stage, 3);
    const reads = (): string[] => asked().filter((line) => line.startsWith("GET"));
    expect(reads()).toEqual(["GET replicasets/web"]);
    await scale(stage, 5);
    await scale(stage, 1);
    expect(reads()).toEqual(["GET replicasets/web"]);
  });

  it("replicaset/reads-live, replicaset/8 the set again after a refused status write", async () => {
    await open();
    await create(stage, 1);
    await stage.pass(1_000);
    const before = asked().length;
    stage.network.refuse("PUT replicasets", refusal(409, "Conflict"), EVERY_TIME);
    await objects(stage).patch("web", { spec: { replicas: 2 } });
    await stage.pass(1_000);
    expect(asked().slice(before, before + 4)).toEqual([
      "POST pods",
      "PUT replicasets/web/status",
      "GET replicasets/web",
      "PUT replicasets/web/status",
    ]);
    stage.network.pass();
    await untilReplicas(stage, 2);
  });
});

describe("writes", () => {
  it("replicaset/writes, workloads/S15 pods are posted, deleted and patched strategically, of the set only the status is put", async () => {
    await open({ useServiceAccountCredentials: true });
    await stage.of(Pods).create(barePod("orphan"));
    await create(stage, 2);
    const own = (await stage.of(Pods).list()).find(({ metadata }) => metadata.name !== "orphan")?.metadata.name ?? "";
    await stage.of(Pods).patch(own, { metadata: { labels: { app: "other" } } });
    await stage.of(Pods).untilAll((pods) => pods.length === 3);
    await scale(stage, 0);
    const kinds = stage.network.requests
      .filter(({ method, path }) => method !== "GET" && path.includes("/namespaces/scenario/"))
      .map(({ method, path, headers }) => {
        const what = path.split("/namespaces/scenario/")[1]?.replace(/^pods\/.+/, "pods/<name>");
        return `${method} ${what} ${headers["content-type"] ?? ""}`.trim();
      });
    expect([...new Set(kinds)].sort()).toEqual([
      "DELETE pods/<name> application/json",
      "PATCH pods/<name> application/strategic-merge-patch+json",
      "POST events application/json",
      "POST pods application/json",
      "PUT replicasets/web/status application/json",
    ]);
    const writers = stage.world.log.writes.filter(({ target }) => target.includes("/namespaces/scenario/"));
    expect([...new Set(writers.map(({ who }) => who))]).toEqual([
      "system:serviceaccount:kube-system:replicaset-controller",
    ]);
  });

  it("workloads/S3 what is put comes from the cache, without managedFields, and costs nobody their fields", async () => {
    await open();
    await create(stage, 1);
    const puts = stage.world.log.writes.filter(({ method }) => method === "PUT");
    expect(puts.length).toBeGreaterThan(0);
    for (const { body } of puts) expect((body as ReplicaSet).metadata).not.toHaveProperty("managedFields");
    const { metadata } = await untilReplicas(stage, 1);
    const managers = metadata?.managedFields?.map(({ manager, subresource }) =>
      `${manager} ${subresource ?? ""}`.trim(),
    );
    expect(managers?.sort()).toEqual(["kube-controller-manager status", "scenario"]);
  });

  it("replicaset/writes five sets at once unless told otherwise", async () => {
    await open();
    stage.network.hold("POST pods");
    for (let i = 0; i < 8; i++) {
      await objects(stage).create(make(`web-${i}`, 1));
    }
    await stage.pass(10_000);
    expect(creates()).toBe(5);
    stage.network.pass();
    await stage.of(Pods).untilAll((pods) => pods.length === 8);
  });

  it("replicaset/writes, replicaset/5 at most 500 pods in one go, in batches that double", async () => {
    await open();
    const inFlight: number[] = [];
    stage.network.hold("POST pods");
    await objects(stage).create(make("web", 600));
    for (let batch = 0; batch < 9; batch++) {
      await stage.pass(10);
      inFlight.push(creates());
      stage.network.pass();
      stage.network.hold("POST pods");
    }
    const sizes = inFlight.map((total, index) => total - (inFlight[index - 1] ?? 0));
    expect(sizes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 245]);
    stage.network.pass();
    await untilReplicas(stage, 600);
    expect(creates()).toBe(600);
  });

  it("replicaset/writes, replicaset/5 there is no last try: refused for a day, it goes on with back-off, one pod at a time", async () => {
    await open();
    stage.network.refuse("POST pods", forbidden, EVERY_TIME);
    await objects(stage).create(make("web", 50));
    await stage.pass(60_000);
    const first = creates();
    await stage.pass(24 * HOUR);
    const tries = creates();
    expect(tries).toBeGreaterThan(first + 80); // every 1000 seconds at the latest
    expect(tries).toBeLessThan(first + 110);
    stage.network.pass();
    await stage.pass(1_000_000);
    await untilReplicas(stage, 50);
  });
});

describe("refusals", () => {
  it("replicaset/8, replicaset/tests a status write is tried twice, then the sync comes back with back-off", async () => {
    await open();
    stage.network.refuse("PUT replicasets", refusal(500, "InternalError"), EVERY_TIME);
    await objects(stage).create(make("web", 1));
    await stage.pass(10_000);
    const statusCalls = (): string[] => asked().filter((line) => line.includes("replicasets/web"));
    const round = ["PUT replicasets/web/status", "GET replicasets/web", "PUT replicasets/web/status"];
    expect(statusCalls().slice(0, 6)).toEqual([...round, ...round]);
    expect(statusCalls().length % 3).toBe(0);
    // Doubling from 5 ms: ten seconds contain about eleven attempts, not thousands.
    expect(statusCalls().length).toBeLessThan(3 * 15);
    expect(creates()).toBe(1);
    stage.network.pass();
    await stage.pass(20_000);
    expect((await untilReplicas(stage, 1)).status?.observedGeneration).toBe(1);
  });

  it("replicaset/8, replicaset/7 the repeated status is the computed one, and claims no newer generation", async () => {
    await open();
    await create(stage, 1);
    await stage.pass(1_000);
    const before = asked().length;
    stage.network.hold("POST pods");
    await objects(stage).patch("web", { spec: { replicas: 2 } }); // generation 2 is being handled …
    await stage.pass(100);
    await objects(stage).patch("web", { spec: { minReadySeconds: 1 } }); // … when generation 3 comes
    stage.network.pass();
    await stage.pass(5_000);
    const [put, get] = ["PUT replicasets/web/status", "GET replicasets/web"];
    expect(asked().slice(before, before + 4)).toEqual(["POST pods", put, get, put]);
    const puts = stage.world.log.writes.filter(({ target }) => target.endsWith("/replicasets/web/status")).slice(-3);
    const facts = puts.map(({ code, body }) => {
      const { status } = body as ReplicaSet;
      return `${code}: generation ${status?.observedGeneration}, ${status?.replicas} replicas`;
    });
    expect(facts).toEqual([
      "409: generation 2, 1 replicas",
      "200: generation 2, 1 replicas",
      "200: generation 3, 2 replicas",
    ]);
  });

  it("workloads/S9, replicaset/tests what was refused or skipped is not waited for: the next try is made at once", async () => {
    await open();
    stage.network.before("POST pods", () => undefined, 3);
    stage.network.refuse("POST pods", forbidden, EVERY_TIME);
    await objects(stage).create(make("web", 20));
    const set = await objects(stage).until("web", ({ status }) => status?.replicas === 3);
    expect(set.status?.conditions?.[0]).toMatchObject({ reason: "FailedCreate", message: "it is Forbidden" });
    expect(creates()).toBeGreaterThan(7); // 1 + 2 + 4 in the first sync, more after it: without a wait of five minutes
    stage.network.pass();
    await untilReplicas(stage, 20);
    expect(await stage.of(Pods).list()).toHaveLength(20);
  });

  it("workloads/S9 a deletion that is refused is not waited for either", async () => {
    await open();
    await create(stage, 4);
    stage.network.refuse("DELETE pods", forbidden, EVERY_TIME);
    await objects(stage).patch("web", { spec: { replicas: 1 } });
    const failed = await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length > 0);
    expect(failed.status?.conditions?.[0]).toMatchObject({
      reason: "FailedDelete",
      message: "unable to delete pods: it is Forbidden",
    });
    stage.network.pass();
    await untilReplicas(stage, 1);
    await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length === 0);
  });

  it("replicaset/9 a sync that may not scale any more has nothing to report: the condition goes", async () => {
    await open();
    stage.network.refuse("POST pods", forbidden, EVERY_TIME);
    const set = make("web", 1);
    await objects(stage).create({ ...set, metadata: { ...set.metadata, finalizers: ["example.com/hold"] } });
    await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length > 0);
    await objects(stage).delete("web");
    await objects(stage).until("web", ({ status }) => (status?.conditions ?? []).length === 0);
    expect(await stage.of(Pods).list()).toEqual([]);
  });

  it("replicaset/events, workloads/S11 tells of what failed", async () => {
    await open();
    stage.network.refuse("POST pods", forbidden, EVERY_TIME);
    await objects(stage).create(make("web", 1));
    await stage.event("FailedCreate");
    stage.network.pass();
    await untilReplicas(stage, 1);
    stage.network.refuse("DELETE pods", forbidden, EVERY_TIME);
    await objects(stage).patch("web", { spec: { replicas: 0 } });
    await stage.event("FailedDelete");
    const facts = (await stage.of(Events).list()).map(({ type, reason, message, involvedObject, source }) =>
      [source?.component, involvedObject.kind, type, reason, message].join(" "),
    );
    expect(facts).toContain("replicaset-controller ReplicaSet Warning FailedCreate Error creating: it is Forbidden");
    expect(facts).toContain("replicaset-controller ReplicaSet Warning FailedDelete Error deleting: it is Forbidden");
  });

  it("replicaset/events, workloads/S11 says nothing about a namespace that is going away", async () => {
    await open();
    await stage.of(Namespaces).patch(stage.namespace, { metadata: { finalizers: ["example.com/hold"] } });
    await create(stage, 1);
    await stage.of(Namespaces).delete(stage.namespace);
    for (const { metadata } of await stage.of(Pods).list()) await stage.of(Pods).delete(metadata.name);
    await stage.pass(10_000);
    expect(creates()).toBe(2); // one refused, without a retry
    expect((await stage.of(Events).list()).map(({ reason }) => reason)).not.toContain("FailedCreate");
    expect(stage.log()).not.toContain("sync failed");
  });

  it("replicaset/10, replicaset/tests each pod is counted as available the moment it is", async () => {
    await open();
    await create(stage, 4, { minReadySeconds: 5 });
    const pods = await stage.of(Pods).list();
    await stage.pass(1_000 - (stage.now() % 1_000)); // times on the wire are whole seconds
    const startMs = stage.now();
    for (const [index, pod] of pods.slice(0, 3).entries())
      await makeReady(stage, pod.metadata.name, startMs - index * 2_000);
    const seen: string[] = [];
    for (let second = 0; second <= 6; second++) {
      const { status } = await objects(stage).get("web");
      seen.push(`${status?.readyReplicas ?? 0}/${status?.availableReplicas ?? 0}`);
      await stage.pass(startMs + (second + 1) * 1_000 - stage.now());
    }
    expect(seen.slice(1)).toEqual(["3/1", "3/1", "3/2", "3/2", "3/3", "3/3"]);
  });
});
