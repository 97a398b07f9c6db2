// The guards of the replica engine against acting twice while caches lag: expectations, versions of its own writes, and
// the clean-up when an owner is deleted. The streams of a watch stand still while a valve is closed.

import { afterEach, describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { HttpRequest } from "#base/http.ts";
import { jsonResponse } from "#client/testing.ts";
import { EVERY_TIME, forbidden, refusal } from "#test/stage/faulty-network.ts";
import { barePod, ownerUid } from "#test/stage/pods.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, objects, untilReplicas } = controls(replicaSets);
const { make } = replicaSets;
const STALE_GATE = "StaleControllerConsistencyReplicaSet";
const SECOND = 1_000;

let stage: WireStage;
afterEach(() => stage.stop());

async function open(gates: WireOptions["gates"] = {}, prepare?: WireOptions["prepare"]): Promise<void> {
  stage = await openWire({ controllers: ["replicaset-controller"], gates, ...(prepare && { prepare }) });
}

const writes = (what = /^(?!GET)/): number => stage.asked().filter((line) => what.test(line)).length;
const creates = (): number => writes(/^POST pods$/);
const deletes = (): number => writes(/^DELETE pods/);
const statusWrites = (): number => writes(/^PUT replicasets\/web\/status$/);

const deleteSet = (): Promise<void> => objects(stage).delete("web", { propagationPolicy: "Background" });

/** This watch never sees the changes made meanwhile: afterwards its version is too old to resume from. */
async function whileCutOff(resource: string, happens: () => Promise<void>): Promise<void> {
  stage.network.refuse(`WATCH ${resource}`, refusal(503, "ServiceUnavailable"), EVERY_TIME);
  stage.network.endWatches(`WATCH ${resource}`);
  await happens();
  await stage.pass(SECOND);
  stage.network.pass();
  let isRelisted = false;
  const sayExpired = ({ query }: HttpRequest): void => {
    isRelisted ||= query.includes("sendInitialEvents=true");
    if (!isRelisted) throw refusal(410, "Expired");
  };
  stage.network.before(`WATCH ${resource}`, sayExpired, EVERY_TIME);
  await stage.pass(60 * SECOND);
  expect(isRelisted).toBe(true);
}

describe("expectations", () => {
  it("replicaset/1, replicaset/traps, replicaset/tests keep from creating again, but not from writing the status", async () => {
    await open({ [STALE_GATE]: false });
    await create(stage, 1);
    await stage.pass(SECOND);
    stage.hold(Pods);
    await objects(stage).patch("web", { spec: { replicas: 3 } });
    // The status does not count this sync's creates yet.
    const early = await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2);
    expect([creates(), early.status?.replicas]).toEqual([3, 1]);
    await objects(stage).patch("web", { spec: { minReadySeconds: 1 } });
    const later = await objects(stage).until("web", ({ status }) => status?.observedGeneration === 3);
    expect([creates(), later.status?.replicas]).toEqual([3, 1]);
    stage.release(Pods);
    await untilReplicas(stage, 3);
    expect(creates()).toBe(3);
  });

  it("replicaset/traps also cover deletions, which leave no version to wait for", async () => {
    await open();
    await create(stage, 5);
    await stage.pass(SECOND);
    stage.hold(Pods);
    await objects(stage).patch("web", { spec: { replicas: 3 } });
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2);
    const before = statusWrites();
    await objects(stage).patch("web", { spec: { replicas: 2 } });
    // The sync is not skipped as stale: the status is written. But it must not delete pods based on the old cache.
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 3);
    expect(statusWrites()).toBeGreaterThan(before);
    expect(deletes()).toBe(2);
    stage.release(Pods);
    await untilReplicas(stage, 2);
    expect(deletes()).toBe(3);
  });

  it("workloads/S9 a pod that somebody else has deleted is not waited for", async () => {
    await open();
    await create(stage, 2);
    await stage.pass(SECOND);
    stage.hold(Pods);
    const pods = await stage.of(Pods).list();
    for (const pod of pods) {
      await stage.of(Pods).delete(pod.metadata.name);
    }
    await objects(stage).patch("web", { spec: { replicas: 0 } });
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2);
    // Both deletions met a 404. If they were still expected, nothing would be deleted for five minutes.
    await objects(stage).patch("web", { spec: { minReadySeconds: 1 } });
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 3);
    const codes = stage.world.log.writes.filter(({ method }) => method === "DELETE").map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(2);
    expect([...new Set(codes)]).toEqual([404]);
    expect((await objects(stage).get("web")).status?.conditions ?? []).toEqual([]);
  });

  it("workloads/S8, replicaset/tests go with their set, so that its successor acts at once", async () => {
    await open();
    stage.hold(Pods);
    await objects(stage).create(make("web", 2));
    await stage.pass(SECOND);
    expect(creates()).toBe(2);
    await deleteSet();
    await objects(stage).create(make("web", 2));
    await stage.pass(SECOND);
    expect(creates()).toBe(4);
  });

  it("workloads/S8, replicaset/watches go with their set, also when only a relist shows its successor", async () => {
    await open();
    stage.hold(Pods);
    await objects(stage).create(make("web", 2));
    await stage.pass(SECOND);
    expect(creates()).toBe(2);
    await whileCutOff("replicasets", async () => {
      await deleteSet();
      await objects(stage).create(make("web", 2));
    });
    expect(creates()).toBe(4);
  });
});

describe("written versions", () => {
  const skips = (): string[] =>
    stage.metrics
      .render()
      .split("\n")
      .filter((line) => line.startsWith("replicaset_controller_stale_sync_skips_total"));

  it("workloads/S26, replicaset/metrics, replicaset/1 hold a sync back before it reads or writes anything, count it and try again", async () => {
    await open();
    await create(stage, 1);
    await stage.pass(SECOND);
    expect(skips()).toEqual([]);
    stage.hold(Pods);
    await objects(stage).patch("web", { spec: { replicas: 2 } });
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2);
    const before = writes();
    await objects(stage).patch("web", { spec: { minReadySeconds: 1 } });
    await stage.pass(10 * SECOND);
    expect(writes()).toBe(before);
    // about ten, because of back-off
    expect(skips()).toEqual([expect.stringMatching(/\{group="",resource="pods"\} 1?\d$/)]);
    expect(stage.log()).toMatch(/read version: \d+ is not as new as written version: \d+ for group resource pods/);
    stage.release(Pods);
    await untilReplicas(stage, 2);
    expect(creates()).toBe(2);
  });

  it("workloads/S26, replicaset/metrics know of the set's own status, too", async () => {
    await open();
    await create(stage, 0);
    await stage.pass(SECOND);
    stage.hold(ReplicaSets);
    await stage.of(Pods).create(barePod("orphan")); // adopted, counted in the status, and surplus
    await stage.pass(5 * SECOND);
    expect(statusWrites()).toBe(2);
    expect(skips()).toEqual([expect.stringMatching(/\{group="apps",resource="replicasets"\} \d+$/)]);
    stage.release(ReplicaSets);
    await stage.of(Pods).untilAll((pods) => pods.length === 0);
    await untilReplicas(stage, 0);
  });

  it("replicaset/1, workloads/S28 are forgotten with the set", async () => {
    await open();
    await stage.pass(SECOND);
    stage.hold(Pods);
    await objects(stage).create(make("web", 1));
    await stage.pass(SECOND);
    await deleteSet();
    await stage.pass(SECOND);
    // The successor's first sync does not wait for writes of its predecessor.
    await objects(stage).create(make("web", 1));
    await stage.pass(10);
    expect(creates()).toBe(2);
  });
});

describe("a cache that knows too little", () => {
  it("replicaset/reads-live, workloads/S14, replicaset/tests a set that is dying on the server adopts and creates nothing", async () => {
    await open();
    const set = make("web", 2);
    await objects(stage).create({ ...set, metadata: { ...set.metadata, finalizers: ["example.com/hold"] } });
    await untilReplicas(stage, 2);
    await stage.pass(SECOND);
    stage.hold(ReplicaSets);
    await deleteSet();
    const before = writes();
    await stage.of(Pods).create(barePod("orphan"));
    await stage.pass(SECOND);
    expect(writes()).toBe(before);
    expect(stage.log()).toMatch(/can't adopt Pod scenario\/orphan \([^)]+\): scenario\/web has just been deleted at /);
    stage.release(ReplicaSets);
    await objects(stage).until("web", ({ status }) => status?.observedGeneration === 2 || status?.replicas === 2);
    expect(
      (await stage.of(Pods).list()).filter((pod) => ownerUid(pod) === undefined).map(({ metadata }) => metadata.name),
    ).toEqual(["orphan"]);
    await objects(stage).patch("web", { metadata: { finalizers: null } });
  });

  it("replicaset/tests a patch that fails leaves the pod as it is, and is tried again", async () => {
    await open();
    stage.network.refuse("PATCH pods", forbidden, EVERY_TIME);
    for (const name of ["first", "second"]) await stage.of(Pods).create(barePod(name));
    await objects(stage).create(make("web", 2));
    await stage.pass(SECOND);
    expect(creates()).toBe(0);
    expect(stage.log()).toContain("it is Forbidden");
    expect(stage.network.count("PATCH pods")).toBeGreaterThan(2); // both, repeatedly
    stage.network.pass();
    const owned = await stage.of(Pods).untilAll((pods) => pods.every((pod) => ownerUid(pod) !== undefined));
    expect(owned.map(({ metadata }) => metadata.name).sort()).toEqual(["first", "second"]);
  });

  it("replicaset/tests a deletion that only a relist shows wakes the set", async () => {
    await open();
    await create(stage, 2);
    await stage.pass(SECOND);
    const lost = (await stage.of(Pods).list())[0]?.metadata.name ?? "";
    await whileCutOff("pods", async () => {
      await stage.of(Pods).patch(lost, { metadata: { labels: { note: "unseen" } } });
      await stage.of(Pods).delete(lost);
    });
    const names = (await stage.of(Pods).list()).map(({ metadata }) => metadata.name);
    expect(names.length).toBe(2);
    expect(names).not.toContain(lost);
    await untilReplicas(stage, 2);
  });
});

describe("an invalid selector", () => {
  it("replicaset/3 is reported, and neither retried nor acted on", async () => {
    await open({ WatchListClient: false }, (listed) => {
      const matchExpressions = [{ key: "app", operator: "Near" }];
      const set = make("web", 2, { selector: { matchExpressions } });
      const metadata = { name: "web", namespace: "scenario", uid: "u1", resourceVersion: "1", generation: 1 };
      const items = [{ ...set, metadata }];
      const list = { apiVersion: "apps/v1", kind: "ReplicaSetList", metadata: { resourceVersion: "1" }, items };
      listed.respond("GET replicasets", jsonResponse(list), EVERY_TIME);
    });
    await stage.of(Pods).create(barePod("orphan")); // nothing matches
    await stage.pass(3_600 * SECOND);
    expect(writes()).toBe(0);
    expect(stage.metrics.render()).toContain('workqueue_adds_total{name="replicaset"} 1\n');
    expect(stage.metrics.render()).toContain('workqueue_retries_total{name="replicaset"} 0\n');
    const reports = stage
      .log()
      .split("\n")
      .filter((line) => line.includes("error converting pod selector"));
    expect(reports).toEqual([expect.stringContaining("is not a valid label selector operator")]);
  });
});
