// The end of a ReplicaSet. The controller may see the set's deletion or the changes of its pods first. That is chance,
// in Go too, and decides its reaction. Here the scenario decides: it waits until the controller has seen the first event,
// or holds back the second. A finalizer keeps the set until its controller has written the last status.
// One order is not played: the controller sees the pods go before the set's deletion and replaces them. A pod ends in
// two events, terminating and gone, and no held watch decides whether the controller counts between them.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { callPods, podSpec } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { controls, replicaSets } from "../replicas/subject.ts";

const { objects, create, untilReplicas, untilStatus } = controls(replicaSets);
const HOLD = "example.com/hold";
const COLLECTOR = "garbage-collector-controller";

export const endings: readonly ScenarioText[] = [
  {
    name: "workloads/S8 a set deleted without its pods and created again adopts them",
    async play(stage) {
      await kept(stage, "first", "second");
      await orphan(stage);
      await create(stage, 3);
    },
  },
  {
    name: "workloads/S13 the pods of a set deleted without them go to another one with the same selector",
    async play(stage) {
      await kept(stage, "first", "second");
      await orphan(stage);
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "y" }] } };
      await objects(stage).create(replicaSets.make("heir", 2, { selector: { matchLabels: labels }, template }));
      await untilReplicas(stage, 2, "heir");
    },
  },
  {
    name: "replicaset/reads-live a set that sees its orphans before its own deletion asks the API server, and adopts none",
    alone: true,
    async play(stage) {
      await kept(stage, "first", "second");
      stage.hold(ReplicaSets);
      await deleteSet(stage);
      await orphanPods(stage);
      await stage.untilRead(ReplicaSets, "web");
      stage.release(ReplicaSets);
      await untilStatus(stage, { replicas: 0, observedGeneration: 2 });
      await end(stage);
    },
  },
  {
    name: "replicaset/1 a set deleted in the foreground creates nothing and keeps its status while its pods go",
    alone: true,
    chance: [
      {
        where: /generic-garbage-collector|reads of phase 3/,
        reason: "the collector tries again while it sees no pod go",
      },
      {
        where: /metadata.finalizers/,
        reason: "the collector removes its finalizer before or after the status is written",
      },
    ],
    async play(stage) {
      const [held = ""] = await kept(stage, "held", "second", "third");
      await stage.of(Pods).patch(held, { metadata: { finalizers: [HOLD] } });
      await stage.settle();
      stage.hold(Pods);
      await objects(stage).delete("web", { propagationPolicy: "Foreground" });
      await untilStatus(stage, { observedGeneration: 2 });
      await stage.standIn(COLLECTOR, () => stage.of(Pods).deleteAll());
      await stage.settle();
      stage.release(Pods);
      await untilStatus(stage, { replicas: 0, terminatingReplicas: 1 });
      await stage.standIn(COLLECTOR, () => setFinalizers(stage, [HOLD]));
      await stage.of(Pods).patch(held, { metadata: { finalizers: null } });
      await untilStatus(stage, { terminatingReplicas: 0 });
      await end(stage);
    },
  },
];

/** Creates a set that exists until the scenario releases it; returns the names of its pods. */
async function kept(stage: Stage, ...symbols: readonly string[]): Promise<readonly string[]> {
  const labels = { app: "web" };
  const more = { template: { metadata: { labels }, spec: podSpec } };
  await create(stage, symbols.length, more, { finalizers: [HOLD] });
  const names = await callPods(stage, ...symbols);
  await stage.settle();
  return names;
}

/** Deletes the set. While its finalizer keeps the set, the garbage collector does not touch the pods. */
const deleteSet = (stage: Stage): Promise<void> => objects(stage).delete("web", { propagationPolicy: "Background" });

/** Orphans the pods. The garbage collector could do this, but it may share the held watches. */
async function orphanPods(stage: Stage): Promise<void> {
  for (const { metadata } of await stage.of(Pods).list()) {
    await stage.of(Pods).patch(metadata.name, { metadata: { ownerReferences: null } });
  }
}

async function setFinalizers(stage: Stage, finalizers: readonly string[] | null): Promise<void> {
  await objects(stage).patch("web", { metadata: { finalizers } });
}

/** The controller sees the deletion first, then the orphans. */
async function orphan(stage: Stage): Promise<void> {
  await deleteSet(stage);
  await untilStatus(stage, { observedGeneration: 2 });
  await stage.settle();
  await orphanPods(stage);
  await untilStatus(stage, { replicas: 0 });
  await end(stage);
}

/** Releases a set that has no more pods: the end of pods would come before or after it by chance. */
async function end(stage: Stage): Promise<void> {
  await stage.settle();
  await setFinalizers(stage, null);
  await objects(stage).untilGone("web");
  await stage.settle();
}
