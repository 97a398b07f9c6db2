// The counts in the status of a ReplicaSet, and the times of its writes.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import { bind, callPods, finishDeletion, makeReady, makeUnready, podSpec } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { controls, replicaSets } from "../replicas/subject.ts";

const { objects, create, scale, untilStatus } = controls(replicaSets);
const HOLD = "example.com/hold";

export const statuses: readonly ScenarioText[] = [
  {
    name: "replicaset/10 counts a pod as available once it was ready for minReadySeconds, and not when it is unready",
    async play(stage) {
      await create(stage, 2, { minReadySeconds: 4 });
      const [first = "", second = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await makeReady(stage, first);
      const set = await untilStatus(stage, { readyReplicas: 1 });
      await stage.calm(async () => expect(set.status?.availableReplicas ?? 0).toBe(0));
      await stage.settle();
      await untilStatus(stage, { availableReplicas: 1 });
      await makeReady(stage, second, stage.now() - 60_000);
      await untilStatus(stage, { availableReplicas: 2 });
      await stage.settle();
      await makeUnready(stage, first);
      await untilStatus(stage, { readyReplicas: 1, availableReplicas: 1 });
    },
  },
  {
    name: "replicaset/10 looks again by itself when minReadySeconds were raised after the pod was ready",
    async play(stage) {
      await create(stage, 1);
      const [pod = ""] = await callPods(stage, "first");
      await makeReady(stage, pod);
      await untilStatus(stage, { availableReplicas: 1 });
      await objects(stage).patch("web", { spec: { minReadySeconds: 5 } });
      await stage.calm(async () => {
        await untilStatus(stage, { observedGeneration: 2, availableReplicas: 0 });
      });
      await untilStatus(stage, { observedGeneration: 2, availableReplicas: 1 });
    },
  },
  {
    name: "replicaset/7 a pod's change that the status does not show writes no status",
    async play(stage) {
      await create(stage, 1);
      const [pod = ""] = await callPods(stage, "first");
      await stage.settle();
      for (const note of ["1", "2", "3"]) await stage.of(Pods).patch(pod, { metadata: { annotations: { note } } });
      await stage.settle();
      await stage.calm(async () => {
        const statusWrites = (await stage.writes()).filter(({ resource }) => resource === "replicasets/status");
        expect(statusWrites.map(({ body }) => (body as ReplicaSetBody).status?.replicas)).toEqual([0, 1]);
      });
    },
  },
  {
    name: "replicaset/7 is silent when nothing changes: no write in ten idle minutes",
    virtualOnly: "ten minutes",
    async play(stage) {
      await create(stage, 3);
      await stage.settle();
      await stage.calm(async () => {
        const before = (await stage.writes()).length;
        await stage.pass(600_000);
        expect((await stage.writes()).length).toBe(before);
      });
    },
  },
  {
    name: "replicaset/7 a pod that is deleted gracefully is replaced at once and counted as terminating until it is gone",
    async play(stage) {
      await create(stage, 2);
      const [leaving = "", staying = ""] = await callPods(stage, "leaving", "staying");
      await bind(stage, leaving, "node-1");
      await bind(stage, staying, "node-2");
      await stage.settle();
      await stage.of(Pods).delete(leaving);
      await untilStatus(stage, { terminatingReplicas: 1, replicas: 2 });
      await stage.settle();
      await finishDeletion(stage, leaving);
      await untilStatus(stage, { terminatingReplicas: 0 });
    },
  },
  {
    name: "replicaset/tests several pods that take their time to end are counted until each is gone",
    async play(stage) {
      const spec = { ...podSpec, nodeName: "node-1", terminationGracePeriodSeconds: 300 };
      await create(stage, 5, { template: { metadata: { labels: { app: "web" } }, spec } });
      const [first = "", second = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await stage.of(Pods).delete(first);
      await stage.of(Pods).delete(second);
      await untilStatus(stage, { terminatingReplicas: 2, replicas: 5 });
      await stage.settle();
      await finishDeletion(stage, first);
      await untilStatus(stage, { terminatingReplicas: 1, replicas: 5 });
      expect((await stage.of(Pods).list()).length).toBe(6);
    },
  },
  {
    name: "replicaset/7 labels, annotations and finalizers come from the template; pods that lack new labels are counted apart",
    async play(stage) {
      const labels = { app: "web", tier: "front" };
      const metadata = { labels, annotations: { note: "one" }, finalizers: [HOLD], name: "ignored" };
      await create(stage, 2, { template: { metadata, spec: { ...podSpec, terminationGracePeriodSeconds: 5 } } });
      await stage.settle();
      const change = { spec: { template: { metadata: { labels: { more: "yes" } } }, replicas: 3 } };
      await objects(stage).patch("web", change);
      await untilStatus(stage, { replicas: 3, fullyLabeledReplicas: 1 });
      await stage.settle();
      await scale(stage, 0);
      await untilStatus(stage, { replicas: 0, terminatingReplicas: 3 });
      for (const pod of await stage.of(Pods).list()) {
        expect(pod.metadata.annotations).toEqual({ note: "one" });
        await stage.of(Pods).patch(pod.metadata.name, { metadata: { finalizers: null } });
      }
      await untilStatus(stage, { terminatingReplicas: 0 });
    },
  },
  {
    name: "workloads/S10 pods have every integer of the template, also beyond 2^53",
    async play(stage) {
      const tolerations = [INT64_MAX, INT64_MIN, 2n ** 53n + 1n].map((tolerationSeconds, i) => ({
        key: `key-${i}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds,
      }));
      const spec = { ...podSpec, tolerations, terminationGracePeriodSeconds: INT64_MAX };
      await create(stage, 2, { template: { metadata: { labels: { app: "web" } }, spec } });
      for (const pod of await stage.of(Pods).list()) {
        expect(pod.spec?.tolerations).toEqual(expect.arrayContaining(tolerations));
        expect(pod.spec?.terminationGracePeriodSeconds).toBe(INT64_MAX);
      }
      await stage.settle();
      // The cache has them, otherwise the set could not be scaled down.
      await scale(stage, 1);
      expect((await stage.of(Pods).list()).length).toBe(1);
    },
  },
  {
    name: "replicaset/8 a status write that meets a conflict is repeated on the newest object",
    async play(stage) {
      await objects(stage).create(replicaSets.make("web", 0));
      for (let replicas = 1; replicas <= 12; replicas++) {
        await objects(stage).patch("web", { spec: { replicas } });
        await objects(stage).patch("web", { metadata: { annotations: { touched: String(replicas) } } });
      }
      const { metadata } = await untilStatus(stage, { replicas: 12, observedGeneration: 13 });
      expect(metadata.annotations).toEqual({ touched: "12" });
    },
    chance: [{ where: /replicasets web/, reason: "how many of the changes each sync sees, and which write meets one" }],
  },
  {
    name: "replicaset/5 prefixes of pod names come from long, dotted and dashed names of sets",
    async play(stage) {
      for (const name of [`${"l".repeat(62)}.${"n".repeat(40)}`, "dotted.name", "a--b"]) {
        const labels = { app: name.slice(0, 5) };
        const template = { metadata: { labels }, spec: podSpec };
        await stage.of(ReplicaSets).create({
          metadata: { name },
          spec: { replicas: 1, selector: { matchLabels: labels }, template },
        });
        await untilStatus(stage, { replicas: 1 }, name);
      }
    },
  },
];

interface ReplicaSetBody {
  readonly status?: { readonly replicas?: number };
}
