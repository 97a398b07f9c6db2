import { afterEach, describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { annotatePod, listPods, makeReady, nameOf } from "./pod-steps.ts";
import { createSet, patchSet, replicaSet, scaleTo, untilReplicas, untilSet } from "./replica-objects.ts";
import { createObject } from "./steps.ts";

const GUARDED = ["DaemonSet", "Job", "ReplicaSet", "StatefulSet"];

let stage: EmbeddedStage;
afterEach(() => stage.stop());

const open = async (gates: Record<string, boolean>): Promise<void> => {
  stage = await embeddedStage({ controllers: ["replicaset-controller"], gates });
};

describe("replicaset/about each gate that is not locked changes what is seen", () => {
  for (const isOn of [true, false]) {
    it(`replicaset/about, replicaset/tests, workloads/S18 PodDeletionCost ${isOn}: the annotation ${isOn ? "decides" : "is ignored"}`, async () => {
      await open({ PodDeletionCost: isOn });
      await createSet(stage, 2);
      const [first, second] = (await listPods(stage)) as [Pod, Pod];
      await makeReady(stage, first, stage.now() - 1_000);
      await makeReady(stage, second, stage.now() - 600_000);
      await annotatePod(stage, first, { "controller.kubernetes.io/pod-deletion-cost": "10" });
      await untilSet(stage, ({ status }) => status?.readyReplicas === 2);
      await scaleTo(stage, 1);
      expect((await listPods(stage)).map(nameOf)).toEqual([nameOf(isOn ? first : second)]);
    });

    it(`replicaset/about, replicaset/tests, replicaset/7 DeploymentReplicaSetTerminatingReplicas ${isOn}: the count is ${isOn ? "there" : "absent"}`, async () => {
      await open({ DeploymentReplicaSetTerminatingReplicas: isOn });
      const { status } = await createSet(stage, 1);
      expect(status && "terminatingReplicas" in status).toBe(isOn);
    });

    it(`machinery/5.1.r1 WatchListClient ${isOn}: the first objects come by ${isOn ? "watch" : "list"}`, async () => {
      await open({ WatchListClient: isOn });
      await createSet(stage, 1);
      const reads = stage.world.log.requests.filter(
        ({ method, target }) => method === "GET" && target.includes("/pods?"),
      );
      expect(reads.some(({ target }) => target.includes("sendInitialEvents=true"))).toBe(isOn);
      expect(reads.some(({ target }) => !target.includes("watch=1") && !target.includes("watch=true"))).toBe(!isOn);
    });

    it(`machinery/5.1.r4 AtomicFIFO ${isOn}: the cache ${isOn ? "knows" : "does not know"} how far it has come`, async () => {
      // The program refuses to start with a guard whose cache does not know.
      const guards = Object.fromEntries(GUARDED.map((kind) => [`StaleControllerConsistency${kind}`, isOn]));
      await playStalledWatch({ AtomicFIFO: isOn, ...guards }, 20, isOn ? 0 : 20);
    });

    it(`replicaset/about, workloads/S25 StaleControllerConsistencyReplicaSet ${isOn}: ${isOn ? "no" : "a"} surplus while the pod cache lags`, async () => {
      await playStalledWatch({ StaleControllerConsistencyReplicaSet: isOn }, 500, isOn ? 0 : 500);
    });
  }
});

/**
 * The pod cache stands still for longer than expectations live; then the set is touched. The stream is
 * stalled before its first bookmark: after one, silence would be taken for death.
 */
async function playStalledWatch(gates: Record<string, boolean>, replicas: number, surplus: number): Promise<void> {
  const valve = new StreamValve();
  stage = await embeddedStage({
    controllers: ["replicaset-controller"],
    gates: { ...gates, WatchListClient: false },
    network: (transport) =>
      valve.over(transport, ({ path, query }) => path === "/api/v1/pods" && /\bwatch=/.test(query)),
  });
  valve.close();
  await createObject(stage, ReplicaSets, replicaSet(replicas));
  await stage.pass(6 * 60_000);
  await patchSet(stage, { metadata: { annotations: { touched: "1" } } });
  await stage.pass(10_000);
  const writes = await stage.writes();
  const creates = writes.filter(({ method, resource }) => method === "POST" && resource === "pods");
  expect(creates.length).toBe(replicas + surplus);
  valve.open();
  await untilReplicas(stage, replicas);
}
