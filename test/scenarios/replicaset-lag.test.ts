// What keeps the replica engine from acting twice while its caches lag: expectations, versions of its own
// writes, and what it forgets with an owner. The streams of a watch stand still while a valve is closed.

import { afterEach, describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { HttpRequest } from "#base/http.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { jsonResponse } from "#client/testing.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { FaultyNetwork } from "./faulty-network.ts";
import { barePod, labelPod, listPods, nameOf, ownerUid, untilPods } from "./pod-steps.ts";
import {
  createSet,
  EVERY_TIME,
  forbidden,
  patchSet,
  refusal,
  replicaSet,
  untilReplicas,
  untilSet,
} from "./replica-objects.ts";
import { createObject } from "./steps.ts";

const STALE_GATE = "StaleControllerConsistencyReplicaSet";
const SECOND = 1_000;

let stage: EmbeddedStage;
let network: FaultyNetwork;
let metrics: MetricRegistry;
let podStreams: StreamValve;
let setStreams: StreamValve;
afterEach(async () => {
  network.pass();
  podStreams.open();
  setStreams.open();
  await stage.stop();
});

async function open(
  gates: Readonly<Record<string, boolean>> = {},
  prepare: (network: FaultyNetwork) => void = () => undefined,
): Promise<void> {
  network = new FaultyNetwork();
  prepare(network);
  metrics = new MetricRegistry({ version: "1.36.4" });
  podStreams = new StreamValve();
  setStreams = new StreamValve();
  stage = await embeddedStage({
    controllers: ["replicaset-controller"],
    gates,
    metrics,
    network: (transport) =>
      network.over(
        setStreams.over(
          podStreams.over(transport, ({ path }) => path === "/api/v1/pods"),
          ({ path }) => path === "/apis/apps/v1/replicasets",
        ),
      ),
  });
}

const writes = async (method: string, resource: string): Promise<number> =>
  (await stage.writes()).filter((write) => write.method === method && write.resource === resource).length;
const creates = (): Promise<number> => writes("POST", "pods");
const deletes = (): Promise<number> => writes("DELETE", "pods");
const statusWrites = (): Promise<number> => writes("PUT", "replicasets/status");

const deleteSet = (): Promise<unknown> =>
  stage.do((client, signal) =>
    client
      .resource(ReplicaSets)
      .delete({ namespace: stage.namespace, name: "web", options: { propagationPolicy: "Background" } }, signal),
  );

/** What happens meanwhile is never seen by this watch: afterwards its version is too old to go on from. */
async function whileCutOff(resource: string, happens: () => Promise<void>): Promise<void> {
  network.refuse(`WATCH ${resource}`, refusal(503, "ServiceUnavailable"), EVERY_TIME);
  network.endWatches(`WATCH ${resource}`);
  await happens();
  await stage.pass(SECOND);
  network.pass();
  let isRelisted = false;
  const sayExpired = ({ query }: HttpRequest): void => {
    isRelisted ||= query.includes("sendInitialEvents=true");
    if (!isRelisted) throw refusal(410, "Expired");
  };
  network.before(`WATCH ${resource}`, sayExpired, EVERY_TIME);
  await stage.pass(60 * SECOND);
  expect(isRelisted).toBe(true);
}

describe("expectations", () => {
  it("replicaset/1, replicaset/traps, replicaset/tests keep from creating again, but not from writing the status", async () => {
    await open({ [STALE_GATE]: false });
    await createSet(stage, 1);
    await stage.pass(SECOND);
    podStreams.close();
    await patchSet(stage, { spec: { replicas: 3 } });
    // Of this sync's creates nothing is counted yet: the status tells what was there before.
    const early = await untilSet(stage, ({ status }) => status?.observedGeneration === 2);
    expect([await creates(), early.status?.replicas]).toEqual([3, 1]);
    await patchSet(stage, { spec: { minReadySeconds: 1 } });
    const later = await untilSet(stage, ({ status }) => status?.observedGeneration === 3);
    expect([await creates(), later.status?.replicas]).toEqual([3, 1]);
    podStreams.open();
    await untilReplicas(stage, 3);
    expect(await creates()).toBe(3);
  });

  it("replicaset/traps also cover deletions, which leave no version to wait for", async () => {
    await open();
    await createSet(stage, 5);
    await stage.pass(SECOND);
    podStreams.close();
    await patchSet(stage, { spec: { replicas: 3 } });
    await untilSet(stage, ({ status }) => status?.observedGeneration === 2);
    const before = await statusWrites();
    await patchSet(stage, { spec: { replicas: 2 } });
    // The sync is not held back as stale: the status is written. But it must not delete on what it sees.
    await untilSet(stage, ({ status }) => status?.observedGeneration === 3);
    expect(await statusWrites()).toBeGreaterThan(before);
    expect(await deletes()).toBe(2);
    podStreams.open();
    await untilReplicas(stage, 2);
    expect(await deletes()).toBe(3);
  });

  it("workloads/S9 a pod that somebody else has deleted is not waited for", async () => {
    await open();
    await createSet(stage, 2);
    await stage.pass(SECOND);
    podStreams.close();
    const pods = await listPods(stage);
    for (const pod of pods) {
      await stage.do((client, signal) =>
        client.resource(Pods).delete({ namespace: stage.namespace, name: nameOf(pod) }, signal),
      );
    }
    await patchSet(stage, { spec: { replicas: 0 } });
    await untilSet(stage, ({ status }) => status?.observedGeneration === 2);
    // Both deletions met a 404. Had they stayed expected, this would delete nothing for five minutes.
    await patchSet(stage, { spec: { minReadySeconds: 1 } });
    await untilSet(stage, ({ status }) => status?.observedGeneration === 3);
    const codes = (await stage.writes()).filter(({ method }) => method === "DELETE").map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(2);
    expect([...new Set(codes)]).toEqual([404]);
    expect((await untilSet(stage, () => true)).status?.conditions ?? []).toEqual([]);
  });

  it("workloads/S8, replicaset/tests go with their set, so that its successor acts at once", async () => {
    await open();
    podStreams.close();
    await createObject(stage, ReplicaSets, replicaSet(2));
    await stage.pass(SECOND);
    expect(await creates()).toBe(2);
    await deleteSet();
    await createObject(stage, ReplicaSets, replicaSet(2));
    await stage.pass(SECOND);
    expect(await creates()).toBe(4);
  });

  it("workloads/S8, replicaset/watches go with their set, also when only a relist shows its successor", async () => {
    await open();
    podStreams.close();
    await createObject(stage, ReplicaSets, replicaSet(2));
    await stage.pass(SECOND);
    expect(await creates()).toBe(2);
    await whileCutOff("replicasets", async () => {
      await deleteSet();
      await createObject(stage, ReplicaSets, replicaSet(2));
    });
    expect(await creates()).toBe(4);
  });
});

describe("written versions", () => {
  const skips = (): string[] =>
    metrics
      .render()
      .split("\n")
      .filter((line) => line.startsWith("replicaset_controller_stale_sync_skips_total"));

  it("workloads/S26, replicaset/metrics, replicaset/1 hold a sync back before it reads or writes anything, count it and try again", async () => {
    await open();
    await createSet(stage, 1);
    await stage.pass(SECOND);
    expect(skips()).toEqual([]);
    podStreams.close();
    await patchSet(stage, { spec: { replicas: 2 } });
    await untilSet(stage, ({ status }) => status?.observedGeneration === 2);
    const before = (await stage.writes()).length;
    await patchSet(stage, { spec: { minReadySeconds: 1 } });
    await stage.pass(10 * SECOND);
    expect((await stage.writes()).length).toBe(before);
    expect(skips()).toEqual([expect.stringMatching(/\{group="",resource="pods"\} 1?\d$/)]); // back-off: about ten
    expect(stage.log()).toMatch(/read version: \d+ is not as new as written version: \d+ for group resource pods/);
    podStreams.open();
    await untilReplicas(stage, 2);
    expect(await creates()).toBe(2);
  });

  it("workloads/S26, replicaset/metrics know of the set's own status, too", async () => {
    await open();
    await createSet(stage, 0);
    await stage.pass(SECOND);
    setStreams.close();
    await createObject(stage, Pods, barePod("orphan")); // adopted, counted in the status, and surplus
    await stage.pass(5 * SECOND);
    expect(await statusWrites()).toBe(2);
    expect(skips()).toEqual([expect.stringMatching(/\{group="apps",resource="replicasets"\} \d+$/)]);
    setStreams.open();
    await untilPods(stage, (pods) => pods.length === 0);
    await untilReplicas(stage, 0);
  });

  it("replicaset/1, workloads/S28 are forgotten with the set", async () => {
    await open();
    await stage.pass(SECOND);
    podStreams.close();
    await createObject(stage, ReplicaSets, replicaSet(1));
    await stage.pass(SECOND);
    await deleteSet();
    await stage.pass(SECOND);
    // The successor's first sync waits for nothing that its predecessor wrote.
    await createObject(stage, ReplicaSets, replicaSet(1));
    await stage.pass(10);
    expect(await creates()).toBe(2);
  });
});

describe("a cache that knows too little", () => {
  it("replicaset/reads-live, workloads/S14, replicaset/tests a set that is dying on the server adopts and creates nothing", async () => {
    await open();
    const set = replicaSet(2);
    await createObject(stage, ReplicaSets, { ...set, metadata: { ...set.metadata, finalizers: ["example.com/hold"] } });
    await untilReplicas(stage, 2);
    await stage.pass(SECOND);
    setStreams.close();
    await deleteSet();
    const before = (await stage.writes()).length;
    await createObject(stage, Pods, barePod("orphan"));
    await stage.pass(SECOND);
    expect((await stage.writes()).length).toBe(before);
    expect(stage.log()).toMatch(/can't adopt Pod scenario\/orphan \([^)]+\): scenario\/web has just been deleted at /);
    setStreams.open();
    await untilSet(stage, ({ status }) => status?.observedGeneration === 2 || status?.replicas === 2);
    expect((await listPods(stage)).filter((pod) => ownerUid(pod) === undefined).map(nameOf)).toEqual(["orphan"]);
    await patchSet(stage, { metadata: { finalizers: null } });
  });

  it("replicaset/tests a patch that fails leaves the pod as it is, and is tried again", async () => {
    await open();
    network.refuse("PATCH pods", forbidden, EVERY_TIME);
    for (const name of ["first", "second"]) await createObject(stage, Pods, barePod(name));
    await createObject(stage, ReplicaSets, replicaSet(2));
    await stage.pass(SECOND);
    expect(await creates()).toBe(0);
    expect(stage.log()).toContain("it is Forbidden");
    expect(network.count("PATCH pods")).toBeGreaterThan(2); // both, again and again
    network.pass();
    const owned = await untilPods(stage, (pods) => pods.every((pod) => ownerUid(pod) !== undefined));
    expect(owned.map(nameOf).sort()).toEqual(["first", "second"]);
  });

  it("replicaset/tests a deletion that only a relist shows wakes the set", async () => {
    await open();
    await createSet(stage, 2);
    await stage.pass(SECOND);
    const [pod] = await listPods(stage);
    await whileCutOff("pods", async () => {
      await labelPod(stage, pod as Pod, { note: "unseen" });
      await stage.do((client, signal) =>
        client.resource(Pods).delete({ namespace: stage.namespace, name: nameOf(pod as Pod) }, signal),
      );
    });
    const names = (await listPods(stage)).map(nameOf);
    expect(names.length).toBe(2);
    expect(names).not.toContain(nameOf(pod as Pod));
    await untilReplicas(stage, 2);
  });
});

describe("an invalid selector", () => {
  it("replicaset/3 is reported, and neither retried nor acted on", async () => {
    await open({ WatchListClient: false }, (listed) => {
      const matchExpressions = [{ key: "app", operator: "Near" }];
      const set = replicaSet(2, { selector: { matchExpressions } });
      const metadata = { name: "web", namespace: "scenario", uid: "u1", resourceVersion: "1", generation: 1 };
      const items = [{ ...set, metadata }];
      const list = { apiVersion: "apps/v1", kind: "ReplicaSetList", metadata: { resourceVersion: "1" }, items };
      listed.respond("GET replicasets", jsonResponse(list), EVERY_TIME);
    });
    await createObject(stage, Pods, barePod("orphan")); // it matches nothing
    await stage.pass(3_600 * SECOND);
    expect(await stage.writes()).toEqual([]);
    expect(metrics.render()).toContain('workqueue_adds_total{name="replicaset"} 1\n');
    expect(metrics.render()).toContain('workqueue_retries_total{name="replicaset"} 0\n');
    const reports = stage
      .log()
      .split("\n")
      .filter((line) => line.includes("error converting pod selector"));
    expect(reports).toEqual([expect.stringContaining("is not a valid label selector operator")]);
  });
});
