// Which pods a ReplicaSet counts, keeps and loses, as scenarios for both stages. Names start with the parity id.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import {
  addFinalizer,
  annotatePod,
  barePod,
  deletePod,
  labelPod,
  listPods,
  makeReady,
  nameOf,
  ownerUid,
  removeFinalizers,
  setPodStatus,
  untilPods,
} from "./pod-steps.ts";
import { createSet, getSet, patchSet, replicaSet, scaleTo, untilReplicas, untilSet } from "./replica-objects.ts";
import { survivorAmongSiblings } from "./replica-siblings.ts";
import { replicaSets } from "./replica-subject.ts";
import type { Scenario } from "./stage.ts";
import { createObject } from "./steps.ts";

export const podScenarios: readonly Scenario[] = [
  {
    name: "replicaset/2 replaces a failed pod, which is neither counted nor released",
    async play(stage) {
      const set = await createSet(stage, 1);
      const [failed] = await listPods(stage);
      await setPodStatus(stage, nameOf(failed as Pod), { phase: "Failed" });
      const pods = await untilPods(stage, (found) => found.length === 2);
      await untilReplicas(stage, 1);
      expect(pods.every((pod) => ownerUid(pod) === set.metadata?.uid)).toBe(true);
      // When it goes, it is still a failed pod, not one that is terminating.
      await addFinalizer(stage, nameOf(failed as Pod));
      await deletePod(stage, failed as Pod);
      await stage.pass(500);
      expect((await getSet(stage)).status).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
      await removeFinalizers(stage, nameOf(failed as Pod));
    },
  },
  {
    name: "replicaset/2 leaves pods that are finished or going as they are, whatever their labels say",
    async play(stage) {
      const spec = { ...barePod("x").spec, restartPolicy: "Never" } as Pod["spec"];
      for (const name of ["failed", "succeeded", "going"]) {
        const pod = { ...barePod(name), ...(spec ? { spec } : {}) };
        const finalizers = name === "going" ? ["example.com/hold"] : [];
        await createObject(stage, Pods, { ...pod, metadata: { ...pod.metadata, finalizers } });
      }
      await setPodStatus(stage, "failed", { phase: "Failed" });
      await setPodStatus(stage, "succeeded", { phase: "Succeeded" });
      await deletePod(stage, barePod("going"));
      const set = await createSet(stage, 1);
      const [own] = (await listPods(stage)).filter((pod) => ownerUid(pod) === set.metadata?.uid) as [Pod];
      await setPodStatus(stage, nameOf(own), { phase: "Failed" });
      await labelPod(stage, own, { app: "other" });
      await untilPods(stage, (pods) => pods.length === 5);
      const { status } = await untilReplicas(stage, 1);
      expect(status).toMatchObject({ replicas: 1, fullyLabeledReplicas: 1, terminatingReplicas: 0 });
      const owned = (await listPods(stage)).filter((pod) => ownerUid(pod) === set.metadata?.uid).map(nameOf);
      expect(owned.length).toBe(2); // the failed one, still, and its replacement
      expect(owned).toContain(nameOf(own));
      const patches = (await stage.writes()).filter(({ method }) => method === "PATCH");
      expect(patches).toEqual([]);
      await removeFinalizers(stage, "going");
    },
  },
  {
    name: "replicaset/6 loses the pod with more company of its controller's other sets first",
    async play(stage) {
      expect(await survivorAmongSiblings(stage, replicaSets)).toBe("young");
    },
  },
  {
    name: "replicaset/tests a selector never changes, and a set is deleted in the background unless told otherwise",
    async play(stage) {
      const set = replicaSet(1);
      await createObject(stage, ReplicaSets, {
        ...set,
        metadata: { ...set.metadata, finalizers: ["example.com/hold"] },
      });
      await untilReplicas(stage, 1);
      const other = { app: "other" };
      const change = { spec: { selector: { matchLabels: other }, template: { metadata: { labels: other } } } };
      await expect(patchSet(stage, change)).rejects.toThrow(/Invalid value.*field is immutable/s);
      await stage.do((client, signal) =>
        client.resource(ReplicaSets).delete({ namespace: stage.namespace, name: "web" }, signal),
      );
      const { metadata } = await getSet(stage);
      expect(metadata?.deletionTimestamp).toBeDefined();
      expect(metadata?.finalizers).toEqual(["example.com/hold"]);
      await patchSet(stage, { metadata: { finalizers: null } });
    },
  },
  {
    name: "replicaset/tests pods that take their time to end are counted until they are gone",
    async play(stage) {
      const { template } = replicaSet(1).spec ?? {};
      const spec = { ...template?.spec, nodeName: "node-1", terminationGracePeriodSeconds: 300 };
      await createSet(stage, 5, { template: { ...template, spec } });
      const [first, second] = (await listPods(stage)) as [Pod, Pod];
      await deletePod(stage, first);
      await deletePod(stage, second);
      await untilSet(stage, ({ status }) => status?.terminatingReplicas === 2 && status.replicas === 5);
      await deletePod(stage, first, { gracePeriodSeconds: 0 });
      await untilSet(stage, ({ status }) => status?.terminatingReplicas === 1 && status.replicas === 5);
      expect((await listPods(stage)).length).toBe(6);
    },
  },
  {
    name: "workloads/S18 deletes the pod whose loss costs least: not ready, then cheaper",
    async play(stage) {
      await createSet(stage, 3);
      const [cheap, dear, notReady] = (await listPods(stage)) as [Pod, Pod, Pod];
      for (const pod of [cheap, dear]) await makeReady(stage, pod);
      await annotatePod(stage, dear, { "controller.kubernetes.io/pod-deletion-cost": "100" });
      await untilSet(stage, ({ status }) => status?.readyReplicas === 2);
      await scaleTo(stage, 2);
      expect((await listPods(stage)).map(nameOf)).not.toContain(nameOf(notReady));
      await scaleTo(stage, 1);
      expect((await listPods(stage)).map(nameOf)).toEqual([nameOf(dear)]);
    },
  },
  {
    name: "replicaset/7 counts what is terminating until it is gone",
    async play(stage) {
      const held = { metadata: { labels: { app: "web" }, finalizers: ["example.com/hold"] } };
      const spec = replicaSet(1).spec?.template?.spec;
      await createSet(stage, 1, { template: { ...held, spec } });
      const [pod] = await listPods(stage);
      await deletePod(stage, pod as Pod);
      await untilSet(stage, ({ status }) => status?.terminatingReplicas === 1 && status.replicas === 1);
      await removeFinalizers(stage, nameOf(pod as Pod));
      await untilSet(stage, ({ status }) => (status?.terminatingReplicas ?? 0) === 0);
    },
  },
];
