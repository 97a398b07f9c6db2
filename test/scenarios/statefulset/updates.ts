// Replacing the pods of StatefulSets when their template changes, and the revisions of the template.

import { expect } from "vitest";
import { ControllerRevisions, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import {
  becomeReady,
  createReadySet,
  createSet,
  imageOf,
  patchSpec,
  REVISION,
  setImage,
  untilPods,
  untilStatus,
} from "./objects.ts";

const imageNow = async (stage: Stage, name: string): Promise<string> => imageOf(await stage.of(Pods).get(name));
const untilImage = (stage: Stage, name: string, image: string) =>
  stage.of(Pods).until(name, (pod) => imageOf(pod) === image);

/**
 * Creates a revision of the set's template as its user wrote it, without defaults. A patch would sort its keys, which
 * are immutable.
 */
async function createBareRevision(stage: Stage): Promise<void> {
  const labels = { app: "web", "controller.kubernetes.io/hash": "bare" };
  const spec = { containers: [{ image: "example/web:1", name: "main" }] };
  const data = { spec: { template: { $patch: "replace", metadata: { labels: { app: "web" } }, spec } } };
  await stage.of(ControllerRevisions).create({ metadata: { name: "bare", labels }, revision: 1, data });
  await stage.settle();
}

export const updates: readonly ScenarioText[] = [
  {
    name: "statefulset/12, statefulset/16 replaces pods from the highest ordinal down, each when the one before is ready",
    async play(stage) {
      const { status: before } = await createReadySet(stage, 2);
      await setImage(stage, "example/web:2");
      await untilImage(stage, "web-1", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 1, currentReplicas: 1, readyReplicas: 1 });
      await stage.settle();
      await stage.calm(async () => expect(await imageNow(stage, "web-0")).toBe("example/web:1"));
      await becomeReady(stage, "web-1");
      await becomeReady(stage, "web-0", "example/web:2");
      const { status } = await untilStatus(stage, { updatedReplicas: 2, currentReplicas: 2, readyReplicas: 2 });
      expect(status?.currentRevision).toBe(status?.updateRevision);
      expect(status?.currentRevision).not.toBe(before?.currentRevision);
      await stage.event(
        "SuccessfulDelete",
        ({ message }) => message === "Delete Pod web-1 in StatefulSet web successful",
      );
    },
  },
  {
    name: "statefulset/5, statefulset/12 updates no pod below the partition, and recreates it at the current revision",
    async play(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
      const { status: before } = await createReadySet(stage, 2, { updateStrategy });
      await setImage(stage, "example/web:2");
      await becomeReady(stage, "web-1", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 1, readyReplicas: 2, currentReplicas: 1 });
      await stage.settle();
      const { uid } = (await stage.of(Pods).get("web-0")).metadata;
      await stage.of(Pods).delete("web-0");
      const again = await stage.of(Pods).until("web-0", ({ metadata }) => metadata.uid !== uid);
      expect(imageOf(again)).toBe("example/web:1");
      expect(again.metadata.labels?.[REVISION]).toBe(before?.currentRevision);
      await becomeReady(stage, "web-0");
      await untilStatus(stage, { readyReplicas: 2 });
      await stage.settle();
      await patchSpec(stage, { updateStrategy: { rollingUpdate: { partition: 0 } } });
      await becomeReady(stage, "web-0", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 2, currentReplicas: 2, readyReplicas: 2 });
    },
  },
  {
    name: "statefulset/11 replaces only pods that others delete, with OnDelete",
    async play(stage) {
      await createReadySet(stage, 2, { updateStrategy: { type: "OnDelete" } });
      await setImage(stage, "example/web:2");
      await untilStatus(stage, { observedGeneration: 2, updatedReplicas: 0 });
      await stage.settle();
      await stage.calm(async () => expect(await imageNow(stage, "web-1")).toBe("example/web:1"));
      await stage.of(Pods).delete("web-0");
      await untilImage(stage, "web-0", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 1, replicas: 2 });
    },
  },
  {
    name: "statefulset/3, statefulset/4 gives an old revision a new number when its template comes back",
    async play(stage) {
      const { status: before } = await createReadySet(stage, 1);
      await setImage(stage, "example/web:2");
      await becomeReady(stage, "web-0", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 1, readyReplicas: 1, currentReplicas: 1 });
      await stage.settle();
      await setImage(stage, "example/web:1");
      await becomeReady(stage, "web-0", "example/web:1");
      await untilStatus(stage, { currentRevision: before?.currentRevision ?? "", readyReplicas: 1 });
      const revisions = await stage.of(ControllerRevisions).list();
      expect(revisions.map(({ revision }) => Number(revision)).toSorted()).toEqual([2, 3]);
    },
  },
  {
    name: "statefulset/17 keeps as many old revisions as the limit says, the newest ones",
    async play(stage) {
      await createReadySet(stage, 1, { revisionHistoryLimit: 1 });
      for (const image of ["example/web:2", "example/web:3", "example/web:4"]) {
        await setImage(stage, image);
        await becomeReady(stage, "web-0", image);
        await untilStatus(stage, { updatedReplicas: 1, readyReplicas: 1, currentReplicas: 1 });
        await stage.settle();
      }
      const kept = await stage.of(ControllerRevisions).untilAll((revisions) => revisions.length === 2);
      expect(kept.map(({ revision }) => Number(revision)).toSorted()).toEqual([3, 4]);
    },
  },
  {
    name: "statefulset/3 takes another name when a stranger's revision has the name of its template",
    exceptions: [
      {
        where: /status\.collisionCount/,
        reason:
          "stateful_set_control.go, getStatefulSetRevisions: the count is written with the status; a successor finds the revision and counts nothing",
      },
    ],
    async play(stage) {
      await createSet(stage, 0);
      const [first] = await stage.of(ControllerRevisions).untilAll((revisions) => revisions.length === 1);
      const name = first?.metadata.name ?? "";
      await stage.settle();
      await stage.of(StatefulSets).delete("web");
      await stage.of(ControllerRevisions).untilGone(name);
      await stage.of(ControllerRevisions).create({ metadata: { name }, revision: 1, data: { other: true } });
      await stage.settle();
      await createSet(stage, 0);
      const { status } = await stage
        .of(StatefulSets)
        .until("web", ({ status }) => (status?.updateRevision ?? "") !== "");
      expect(status?.updateRevision).not.toBe(name);
      await stage.calm(async () => void (await untilStatus(stage, { collisionCount: 1 })));
    },
  },
  {
    name: "statefulset/1 adopts revisions that no object controls, and uses them",
    chance: [
      {
        where: /of phase 3 › (statefulset-controller: \{play\} statefulsets web|get .*\/statefulsets\/web)/,
        reason: "how far the set gets while the garbage collector orphans its pods",
      },
    ],
    async play(stage) {
      const { status } = await createReadySet(stage, 1);
      await stage.of(StatefulSets).delete("web", { propagationPolicy: "Orphan" });
      await stage.of(StatefulSets).untilGone("web");
      const isOrphan = (object: object): boolean => getControllerOf(object) === undefined;
      await stage.of(ControllerRevisions).untilAll((revisions) => revisions.every(isOrphan));
      await stage.of(Pods).untilAll((pods) => pods.every(isOrphan));
      await stage.settle();
      const { metadata } = await createSet(stage, 1);
      await stage
        .of(ControllerRevisions)
        .untilAll((revisions) => revisions.every((revision) => getControllerOf(revision)?.uid === metadata.uid));
      await untilStatus(stage, { readyReplicas: 1, currentRevision: status?.currentRevision ?? "" });
      expect(await stage.of(ControllerRevisions).list()).toHaveLength(1);
    },
  },
  {
    name: "statefulset/13 replaces as many pods at once as may be unavailable, with the gate",
    profile: "max-unavailable",
    async play(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } };
      await createSet(stage, 3, { updateStrategy, podManagementPolicy: "Parallel" });
      await untilPods(stage, "web-0", "web-1", "web-2");
      for (const name of ["web-0", "web-1", "web-2"]) await becomeReady(stage, name);
      await untilStatus(stage, { readyReplicas: 3, currentReplicas: 3 });
      await stage.settle();
      await setImage(stage, "example/web:2");
      await untilImage(stage, "web-2", "example/web:2");
      await untilImage(stage, "web-1", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 2, currentReplicas: 1, readyReplicas: 1 });
      await stage.settle();
      await stage.calm(async () => expect(await imageNow(stage, "web-0")).toBe("example/web:1"));
      await becomeReady(stage, "web-2");
      await becomeReady(stage, "web-0", "example/web:2");
      await becomeReady(stage, "web-1");
      await untilStatus(stage, { updatedReplicas: 3, readyReplicas: 3, currentReplicas: 3 });
    },
  },
  {
    name: "statefulset/3, statefulset/traps takes a revision for its own that lacks only what the server fills in",
    async play(stage) {
      await createBareRevision(stage);
      await createSet(stage, 0);
      await untilStatus(stage, { updateRevision: "bare", currentRevision: "bare" });
      expect(await stage.of(ControllerRevisions).list()).toHaveLength(1);
    },
  },
  {
    name: "statefulset/3, statefulset/about makes a revision of every difference without the gate",
    profile: "older-workloads",
    async play(stage) {
      await createBareRevision(stage);
      await createSet(stage, 0);
      const revisions = await stage.of(ControllerRevisions).untilAll((found) => found.length === 2);
      const made = revisions.find(({ metadata }) => metadata.name !== "bare");
      expect(Number(made?.revision)).toBe(2);
      await untilStatus(stage, { updateRevision: made?.metadata.name ?? "" });
    },
  },
  {
    name: "statefulset/about, statefulset/tests creates, updates and deletes pods without the guard against stale caches",
    profile: "older-workloads",
    async play(stage) {
      await createReadySet(stage, 2);
      await setImage(stage, "example/web:2");
      await becomeReady(stage, "web-1", "example/web:2");
      await becomeReady(stage, "web-0", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 2, readyReplicas: 2, currentReplicas: 2 });
      await stage.settle();
      await patchSpec(stage, { replicas: 1 });
      await untilPods(stage, "web-0");
      await untilStatus(stage, { replicas: 1, readyReplicas: 1 });
    },
  },
  {
    name: "statefulset/12, statefulset/traps counts the partition from the first ordinal",
    async play(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
      await createReadySet(stage, 2, { ordinals: { start: 3 }, updateStrategy });
      await setImage(stage, "example/web:2");
      await becomeReady(stage, "web-4", "example/web:2");
      await untilStatus(stage, { updatedReplicas: 1, readyReplicas: 2, currentReplicas: 1 });
      await stage.settle();
      await stage.calm(async () => expect(await imageNow(stage, "web-3")).toBe("example/web:1"));
    },
  },
];
