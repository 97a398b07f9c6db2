// How ReplicaSets reach the requested number of pods, and which pods they delete.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import { bind, callPods, isTerminating, makeReady, makeUnready, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { survivorAmongSiblings } from "../replicas/siblings.ts";
import { controls, replicaSets } from "../replicas/subject.ts";

const { objects, create, scale, untilReplicas, untilStatus } = controls(replicaSets);
const HOUR_MS = 3_600_000;

const cost = (value: string): object => ({
  metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": value } },
});

export const scaling: readonly ScenarioText[] = [
  {
    name: "replicaset/5 creates what is missing, controlled by the set",
    async play(stage) {
      const set = await create(stage, 3);
      const pods = await stage.of(Pods).list();
      expect(pods.length).toBe(3);
      const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: set.metadata.uid };
      for (const { metadata } of pods) {
        expect(metadata.generateName).toBe("web-");
        expect(metadata.ownerReferences).toEqual([{ ...reference, controller: true, blockOwnerDeletion: true }]);
      }
      expect(set.status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    },
  },
  {
    name: "replicaset/6 scales 0, 5, 2, 0 without a surplus pod",
    async play(stage) {
      await create(stage, 0);
      for (const replicas of [5, 2, 0]) {
        await stage.settle();
        await scale(stage, replicas);
        expect((await stage.of(Pods).list()).length).toBe(replicas);
      }
      await stage.calm(async () => {
        const creates = (await stage.writes()).filter(({ verb, resource }) => `${verb} ${resource}` === "create pods");
        expect(creates.length).toBe(5);
      });
    },
  },
  {
    name: "replicaset/5, replicaset/6, replicaset/events scales to 60 and back at once: batches, combined events, events cut off",
    async play(stage) {
      await create(stage, 60);
      expect((await stage.of(Pods).list()).length).toBe(60);
      await stage.settle();
      await scale(stage, 0);
      expect(await stage.of(Pods).list()).toEqual([]);
    },
  },
  {
    name: "replicaset/events records an event for each pod created and deleted",
    async play(stage) {
      await create(stage, 1);
      const [pod = ""] = await callPods(stage, "first");
      const isAboutSet = ({ type = "", involvedObject, source }: EventFacts): boolean =>
        type === "Normal" && involvedObject.kind === "ReplicaSet" && source?.component === "replicaset-controller";
      await stage.event("SuccessfulCreate", (event) => isAboutSet(event) && event.message === `Created pod: ${pod}`);
      await stage.settle();
      await scale(stage, 0);
      await stage.event("SuccessfulDelete", (event) => isAboutSet(event) && event.message === `Deleted pod: ${pod}`);
    },
  },
  {
    name: "replicaset/4 replaces a deleted pod",
    async play(stage) {
      await create(stage, 2);
      const [first = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await stage.of(Pods).delete(first);
      await stage
        .of(Pods)
        .untilAll((pods) => pods.length === 2 && !pods.some(({ metadata }) => metadata.name === first));
      await untilReplicas(stage, 2);
    },
  },
  {
    name: "replicaset/6, workloads/S18 unassigned, pending, unready, cheap and often restarted pods are deleted first",
    async play(stage) {
      await create(stage, 7);
      const symbols = ["unassigned", "pending", "unready", "cheap", "restarted", "dear", "plain"];
      const pods = await callPods(stage, ...symbols);
      const [, , unready = "", cheap = "", restarted = "", dear = ""] = pods;
      for (const pod of pods.slice(1)) await bind(stage, pod, "node-1");
      for (const pod of pods.slice(2)) await makeReady(stage, pod, stage.now() - HOUR_MS);
      await makeUnready(stage, unready);
      await stage.of(Pods).patch(cheap, cost("-5"));
      await stage.of(Pods).patch(dear, cost("10"));
      const status = { name: "main", restartCount: 7, image: "x", imageID: "x", ready: true };
      await setPodStatus(stage, restarted, { containerStatuses: [status] });
      await untilStatus(stage, { readyReplicas: 4 });
      const left = [...pods];
      const order = [0, 1, 2, 3, 4, 6].map((index) => pods[index] ?? "");
      for (const [index, gone] of order.entries()) {
        await stage.settle();
        await stage.of(ReplicaSets).patch("web", { spec: { replicas: 6 - index } });
        await untilReplicas(stage, 6 - index);
        left.splice(left.indexOf(gone), 1);
        const active = (await stage.of(Pods).list()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        expect(active.map(({ metadata }) => metadata.name).toSorted()).toEqual(left.toSorted());
      }
    },
  },
  {
    name: "replicaset/6 of the sets of one controller, a pod on the more crowded node is deleted first",
    async play(stage) {
      const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "front" } })).metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "front", uid, controller: true }];
      const nodes = { old: ["node-1", "node-1"], new: ["node-1", "node-2"] };
      for (const [revision, nodesOfPods] of Object.entries(nodes)) {
        await objects(stage).create(replicaSets.make(revision, 2, {}, { ownerReferences }));
        await untilReplicas(stage, 2, revision);
        const pods = await callPods(stage, `${revision}-1`, `${revision}-2`);
        for (const [index, pod] of pods.entries()) await bind(stage, pod, nodesOfPods[index] ?? "");
        await stage.settle();
      }
      await scale(stage, 1, "new");
      const gone = (await stage.of(Pods).list()).filter(isTerminating);
      expect(gone.map(({ spec }) => spec?.nodeName)).toEqual(["node-1"]);
    },
  },
  {
    name: "replicaset/6 deletes the pod with more pods of its controller's other sets on its node first",
    async play(stage) {
      expect(await survivorAmongSiblings(stage, replicaSets)).toBe("young");
    },
  },
  {
    name: "replicaset/2 replaces failed and succeeded pods, which are neither counted nor deleted when scaled to 0",
    async play(stage) {
      const { uid } = (await create(stage, 2)).metadata;
      const [failed = "", succeeded = ""] = await callPods(stage, "failed", "succeeded");
      await stage.settle();
      await setPodStatus(stage, failed, { phase: "Failed", reason: "Evicted" });
      await setPodStatus(stage, succeeded, { phase: "Succeeded" });
      const pods = await stage.of(Pods).untilAll((all) => all.length === 4);
      expect(pods.every(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid)).toBe(true);
      await untilReplicas(stage, 2);
      await stage.settle();
      await scale(stage, 0);
      expect((await stage.of(Pods).list()).map(({ metadata }) => metadata.name)).toEqual(
        [failed, succeeded].toSorted(),
      );
    },
  },
  {
    name: "replicaset/2 a failed pod that is deleted does not count as terminating",
    async play(stage) {
      await create(stage, 1);
      const [failed = ""] = await callPods(stage, "failed");
      await stage.settle();
      await setPodStatus(stage, failed, { phase: "Failed" });
      await stage.of(Pods).untilAll((all) => all.length === 2);
      await untilReplicas(stage, 1);
      await stage.of(Pods).patch(failed, { metadata: { finalizers: ["example.com/hold"] } });
      await stage.settle();
      await stage.of(Pods).delete(failed);
      await stage.settle();
      expect((await stage.of(ReplicaSets).get("web")).status).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
      await stage.of(Pods).patch(failed, { metadata: { finalizers: null } });
    },
  },
];

interface EventFacts {
  readonly type?: string;
  readonly involvedObject: { readonly kind?: string };
  readonly source?: { readonly component?: string };
}
