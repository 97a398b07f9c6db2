// The pods that a ReplicaSet adopts, releases and ignores.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import { barePod, bind, callPods, isTerminating, makeReady, ownerUid, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { controls, replicaSets } from "../replicas/subject.ts";

const { objects, create, untilReplicas, untilStatus } = controls(replicaSets);
const HOLD = "example.com/hold";

export const ownership: readonly ScenarioText[] = [
  {
    name: "workloads/S13 adopts two matching orphans and creates the third pod",
    async play(stage) {
      await stage.of(Pods).create(barePod("first"));
      const labels = { app: "web", tier: "front" };
      await stage.of(Pods).create(barePod("second", labels, { annotations: { kept: "yes" } }));
      await stage.settle();
      const { uid } = (await create(stage, 3)).metadata;
      expect((await stage.of(Pods).list()).map(ownerUid)).toEqual([uid, uid, uid]);
    },
  },
  {
    name: "workloads/S13 adopts a matching orphan instead of creating, and releases it when it no longer matches",
    async play(stage) {
      await stage.of(Pods).create(barePod("orphan"));
      await stage.settle();
      const { uid } = (await create(stage, 1)).metadata;
      expect((await stage.of(Pods).list()).map((pod) => [pod.metadata.name, ownerUid(pod)])).toEqual([["orphan", uid]]);
      await stage.settle();
      await stage.of(Pods).patch("orphan", { metadata: { labels: { app: "other" } } });
      const pods = await stage
        .of(Pods)
        .untilAll((found) => found.length === 2 && found.some((pod) => ownerUid(pod) === undefined));
      expect(pods.filter((pod) => ownerUid(pod) === undefined).map(({ metadata }) => metadata.name)).toEqual([
        "orphan",
      ]);
    },
  },
  {
    name: "replicaset/4 an orphan that appears later is adopted, and deleted as the surplus",
    async play(stage) {
      const { uid } = (await create(stage, 2)).metadata;
      for (const pod of await callPods(stage, "a", "b")) {
        await bind(stage, pod, "node-1");
        await makeReady(stage, pod);
      }
      await untilStatus(stage, { readyReplicas: 2 });
      await stage.settle();
      await stage.of(Pods).create(barePod("late"));
      await stage.of(Pods).untilGone("late");
      expect((await stage.of(Pods).list()).map(ownerUid)).toEqual([uid, uid]);
    },
  },
  {
    name: "workloads/S13, replicaset/2 adopts no pod of another controller or selector, none that is finished or terminating",
    async play(stage) {
      const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "other" } })).metadata;
      await stage.settle();
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "other", uid, controller: true }];
      await stage.of(Pods).create(barePod("owned", { app: "web" }, { ownerReferences }));
      await stage.of(Pods).create(barePod("mismatch", { app: "other" }));
      await stage.of(Pods).create(barePod("excluded", { app: "web", tier: "back" }));
      for (const name of ["succeeded", "failed"]) await stage.of(Pods).create(barePod(name));
      await setPodStatus(stage, "succeeded", { phase: "Succeeded" });
      await setPodStatus(stage, "failed", { phase: "Failed" });
      await stage.of(Pods).create(barePod("leaving", { app: "web" }, { finalizers: [HOLD] }));
      await stage.of(Pods).delete("leaving");
      await stage.settle();
      const notBack = { key: "tier", operator: "NotIn", values: ["back"] };
      const set = await create(stage, 1, { selector: { matchLabels: { app: "web" }, matchExpressions: [notBack] } });
      const owned = (await stage.of(Pods).list()).filter((pod) => ownerUid(pod) === set.metadata.uid);
      expect(owned.length).toBe(1);
      expect(set.status).toMatchObject({ replicas: 1, fullyLabeledReplicas: 1, terminatingReplicas: 0 });
      await stage.of(Pods).patch("leaving", { metadata: { finalizers: null } });
    },
  },
  {
    name: "replicaset/2 a failed pod is not released, whatever its labels say",
    async play(stage) {
      const { uid } = (await create(stage, 1)).metadata;
      const [own = ""] = await callPods(stage, "failed");
      await stage.settle();
      await setPodStatus(stage, own, { phase: "Failed" });
      await stage.of(Pods).untilAll((pods) => pods.length === 2);
      await stage.settle();
      await stage.of(Pods).patch(own, { metadata: { labels: { app: "other" } } });
      await stage.settle();
      expect((await stage.of(Pods).list()).map(ownerUid)).toEqual([uid, uid]);
    },
  },
  {
    name: "workloads/S13 a relabelled pod is released and replaced; labelled back it is adopted and deleted first",
    async play(stage) {
      await create(stage, 2);
      const [released = "", kept = ""] = await callPods(stage, "released", "kept");
      await stage.settle();
      await stage.of(Pods).patch(released, { metadata: { labels: { app: "debug" } } });
      await stage.of(Pods).untilAll((pods) => pods.length === 3);
      await untilReplicas(stage, 2);
      const [replacement = ""] = await callPods(stage, "replacement");
      for (const pod of [kept, replacement]) await bind(stage, pod, "node-1");
      await stage.settle();
      await stage.of(Pods).patch(released, { metadata: { labels: { app: "web" } } });
      await stage.of(Pods).untilGone(released);
    },
  },
  {
    name: "workloads/S8 a set recreated under the same name adopts the orphans of the old one",
    async play(stage) {
      await create(stage, 2);
      const before = await callPods(stage, "first", "second");
      await stage.settle();
      await stage.of(ReplicaSets).delete("web", { propagationPolicy: "Orphan" });
      await stage.standIn("garbage-collector-controller", async () => {
        for (const pod of before) await stage.of(Pods).patch(pod, { metadata: { ownerReferences: null } });
        await stage.of(ReplicaSets).patch("web", { metadata: { finalizers: null } });
      });
      await stage.of(ReplicaSets).untilGone("web");
      const { uid } = (await create(stage, 2)).metadata;
      const pods = await stage.of(Pods).untilAll((found) => found.every((pod) => ownerUid(pod) === uid));
      expect(pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name)).toEqual(before.toSorted());
    },
    exceptions: [
      {
        where: /creates and deletes › replicaset-controller: (create|delete) pods/,
        reason:
          "Two watches are not ordered: a set that is seen before its orphans creates pods, and deletes the surplus when " +
          "it has adopted them. Upstream: pkg/controller/replicaset/replica_set.go, syncReplicaSet claims from the cache.",
      },
    ],
    chance: [
      { where: /writes of phase 2/, reason: "whether the old set still counts its pods before it ends is a race" },
      { where: /reads of phase 2/, reason: "whether the old set asks for itself before it ends is a race" },
    ],
  },
  {
    name: "replicaset/tests a selector never changes, and a set is deleted in the background unless told otherwise",
    async play(stage) {
      await create(stage, 1, {}, { finalizers: [HOLD] });
      const other = { app: "other" };
      const spec = { selector: { matchLabels: other }, template: { metadata: { labels: other } } };
      await expect(stage.of(ReplicaSets).patch("web", { spec })).rejects.toThrow(/Invalid value.*field is immutable/s);
      await stage.settle();
      await objects(stage).delete("web");
      const { metadata } = await objects(stage).get("web");
      expect(metadata.deletionTimestamp).toBeDefined();
      expect(metadata.finalizers).toEqual([HOLD]);
      await stage.settle();
      await objects(stage).patch("web", { metadata: { finalizers: null } });
      await objects(stage).untilGone("web");
    },
  },
];
