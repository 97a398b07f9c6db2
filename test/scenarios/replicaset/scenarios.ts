// What ReplicaSets must do.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import { barePod, bind, callPods, makeReady, ownerUid, podSpec } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { createSet, scaleTo, untilReplicas } from "./objects.ts";

export const scenarios: readonly Scenario[] = scenariosOf("replicaset-controller", { cast: "workloads" }, [
  {
    name: "replicaset/6 scales 0, 5, 2, 0",
    async play(stage) {
      await createSet(stage, 0);
      for (const replicas of [5, 2, 0]) {
        await stage.settle();
        await scaleTo(stage, replicas);
        expect((await stage.of(Pods).list()).length).toBe(replicas);
      }
    },
  },
  {
    name: "workloads/S13 adopts a matching orphan instead of creating, and releases what no longer matches",
    async play(stage) {
      await stage.of(Pods).create(barePod("orphan"));
      await stage.settle();
      const set = await createSet(stage, 1);
      const [orphan] = await stage.of(Pods).list();
      expect([orphan?.metadata.name, orphan && ownerUid(orphan)]).toEqual(["orphan", set.metadata.uid]);
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
    name: "workloads/S10 pods have every integer of the template, also beyond 2^53",
    async play(stage) {
      const tolerations = [INT64_MAX, INT64_MIN, 2n ** 53n + 1n].map((tolerationSeconds, i) => ({
        key: `key-${i}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds,
      }));
      const spec = { ...podSpec, tolerations, terminationGracePeriodSeconds: INT64_MAX };
      await createSet(stage, 2, { template: { metadata: { labels: { app: "web" } }, spec } });
      for (const pod of await stage.of(Pods).list()) {
        expect(pod.spec?.tolerations).toEqual(expect.arrayContaining(tolerations));
        expect(pod.spec?.terminationGracePeriodSeconds).toBe(INT64_MAX);
      }
      await stage.settle();
      // The cache has read them, or the set could not be scaled down.
      await scaleTo(stage, 1);
      expect((await stage.of(Pods).list()).length).toBe(1);
    },
  },
  {
    name: "replicaset/10 counts a pod as available once it was ready for minReadySeconds",
    async play(stage) {
      await createSet(stage, 2, { minReadySeconds: 4 });
      const [first = "", second = ""] = await callPods(stage, "first", "second");
      await stage.settle();
      await makeReady(stage, first);
      const set = await stage.of(ReplicaSets).until("web", ({ status }) => status?.readyReplicas === 1);
      expect(set.status?.availableReplicas ?? 0).toBe(0);
      await stage.settle();
      await stage.of(ReplicaSets).until("web", ({ status }) => status?.availableReplicas === 1);
      await makeReady(stage, second, stage.now() - 60_000);
      await stage.of(ReplicaSets).until("web", ({ status }) => status?.availableReplicas === 2);
    },
  },
  {
    name: "replicaset/6 a pod on a node stays, one without goes",
    async play(stage) {
      await createSet(stage, 2);
      const [first = ""] = await callPods(stage, "first", "second");
      await bind(stage, first, "node-1");
      await stage.settle();
      await scaleTo(stage, 1);
      expect((await stage.of(Pods).list()).map(({ metadata }) => metadata.name)).toEqual([first]);
      await untilReplicas(stage, 1);
    },
  },
]);
