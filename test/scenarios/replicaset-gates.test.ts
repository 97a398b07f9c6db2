import { afterEach, describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { makeReady, type StoredPod } from "#test/stage/pods.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const { create, scale, objects, untilReplicas, untilStatus } = controls(replicaSets);
const GUARDED = ["DaemonSet", "Job", "ReplicaSet", "StatefulSet"];

let stage: WireStage;
afterEach(() => stage.stop());

async function open(gates: Record<string, boolean>, more: Partial<WireOptions> = {}): Promise<void> {
  stage = await openWire({ controllers: ["replicaset-controller"], gates, ...more });
}

describe("replicaset/about each gate that is not locked changes what is seen", () => {
  for (const isOn of [true, false]) {
    it(`replicaset/about, replicaset/tests, workloads/S18 PodDeletionCost ${isOn}: the annotation ${isOn ? "decides" : "is ignored"}`, async () => {
      await open({ PodDeletionCost: isOn });
      await create(stage, 2);
      const [first, second] = (await stage.of(Pods).list()) as [StoredPod, StoredPod];
      await makeReady(stage, first.metadata.name, stage.now() - 1_000);
      await makeReady(stage, second.metadata.name, stage.now() - 600_000);
      await stage.of(Pods).patch(first.metadata.name, {
        metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "10" } },
      });
      await untilStatus(stage, { readyReplicas: 2 });
      await scale(stage, 1);
      expect((await stage.of(Pods).list()).map(({ metadata }) => metadata.name)).toEqual([
        (isOn ? first : second).metadata.name,
      ]);
    });

    it(`replicaset/about, replicaset/tests, replicaset/7 DeploymentReplicaSetTerminatingReplicas ${isOn}: the count is ${isOn ? "there" : "absent"}`, async () => {
      await open({ DeploymentReplicaSetTerminatingReplicas: isOn });
      const { status } = await create(stage, 1);
      expect(status && "terminatingReplicas" in status).toBe(isOn);
    });

    it(`machinery/5.1.r1 WatchListClient ${isOn}: the first objects come by ${isOn ? "watch" : "list"}`, async () => {
      await open({ WatchListClient: isOn });
      await create(stage, 1);
      const reads = stage.world.log.requests.filter(
        ({ method, target }) => method === "GET" && target.includes("/pods?"),
      );
      expect(reads.some(({ target }) => target.includes("sendInitialEvents=true"))).toBe(isOn);
      expect(reads.some(({ target }) => !target.includes("watch=1") && !target.includes("watch=true"))).toBe(!isOn);
    });

    it(`machinery/5.1.r4 AtomicFIFO ${isOn}: the cache ${isOn ? "knows" : "does not know"} how far it has come`, async () => {
      // The program refuses to start with a guard whose cache does not record versions.
      const guards = Object.fromEntries(GUARDED.map((kind) => [`StaleControllerConsistency${kind}`, isOn]));
      await playStalledWatch({ AtomicFIFO: isOn, ...guards }, 20, isOn ? 0 : 20);
    });

    it(`replicaset/about, workloads/S25 StaleControllerConsistencyReplicaSet ${isOn}: ${isOn ? "no" : "a"} surplus while the pod cache lags`, async () => {
      await playStalledWatch({ StaleControllerConsistencyReplicaSet: isOn }, 500, isOn ? 0 : 500);
    });
  }
});

/**
 * The pod cache stands still for longer than expectations live; then the set is changed. The stream stalls before its
 * first bookmark: after one, silence would count as a dead connection.
 */
async function playStalledWatch(gates: Record<string, boolean>, replicas: number, surplus: number): Promise<void> {
  await open({ ...gates, WatchListClient: false }, { held: [Pods] });
  await objects(stage).create(replicaSets.make("web", replicas));
  await stage.pass(6 * 60_000);
  await objects(stage).patch("web", { metadata: { annotations: { touched: "1" } } });
  await stage.pass(10_000);
  expect(stage.network.count("POST pods")).toBe(replicas + surplus);
  stage.release(Pods);
  await untilReplicas(stage, replicas);
}
