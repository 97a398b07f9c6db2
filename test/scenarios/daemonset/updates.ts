// Replacing the pods of DaemonSets when their template changes, and the revisions of the template.

import { expect } from "vitest";
import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { becomeReady, createNode, createSet, HASH, imageOf, setImage, untilPodsOn, untilStatus } from "./objects.ts";

const [first, second] = ["example/agent:1", "example/agent:2"];

/** The data that a manager of version 1.33 wrote for the same template. */
function ofOldVersion(data: unknown): Readonly<Record<string, unknown>> {
  const { spec } = data as { spec: { template: { metadata: object } } };
  const metadata = { creationTimestamp: null, ...spec.template.metadata };
  return { spec: { template: { ...spec.template, metadata } } };
}

export const updates: readonly ScenarioText[] = [
  {
    name: "daemonset/10, daemonset/12 replaces one pod after the other, each when the one before is ready",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      await becomeReady(stage, a, first);
      await untilStatus(stage, { numberAvailable: 1 });
      await stage.settle();
      const b = await createNode(stage, "b");
      await untilPodsOn(stage, a, b);
      await untilStatus(stage, { currentNumberScheduled: 2 });
      await stage.settle();
      await setImage(stage, second); // the pod on b is unavailable, so it is replaced first
      await becomeReady(stage, b, second);
      await becomeReady(stage, a, second);
      await untilStatus(stage, { updatedNumberScheduled: 2, numberAvailable: 2, observedGeneration: 2 });
    },
  },
  {
    name: "daemonset/7, daemonset/11 starts the new pod beside the old one when it may surge, and removes the old one when the new one is ready",
    async play(stage) {
      const a = await createNode(stage, "a");
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
      await createSet(stage, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
      const old = await becomeReady(stage, a, first);
      await untilStatus(stage, { numberAvailable: 1 });
      await stage.settle();
      await setImage(stage, second);
      await untilPodsOn(stage, a, a);
      await becomeReady(stage, a, second);
      await stage.of(Pods).untilGone(old.metadata.name);
      await untilStatus(stage, { updatedNumberScheduled: 1, numberAvailable: 1 });
    },
  },
  {
    name: "daemonset/1, daemonset/16 replaces only pods that others delete, with OnDelete",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage, { updateStrategy: { type: "OnDelete" } });
      const old = await becomeReady(stage, a, first);
      await untilStatus(stage, { numberAvailable: 1, updatedNumberScheduled: 1 });
      await stage.settle();
      await setImage(stage, second);
      await untilStatus(stage, { observedGeneration: 2, updatedNumberScheduled: 0 });
      await stage.settle();
      await stage.calm(async () => expect((await stage.of(Pods).list()).map(imageOf)).toEqual([first]));
      await stage.of(Pods).delete(old.metadata.name);
      await stage.of(Pods).untilAll((pods) => pods.length === 1 && pods.every((pod) => imageOf(pod) === second));
      await untilStatus(stage, { updatedNumberScheduled: 1 });
    },
  },
  {
    name: "daemonset/13 gives an old revision a new number when its template comes back",
    async play(stage) {
      await createSet(stage);
      await untilStatus(stage, { observedGeneration: 1 });
      await stage.settle();
      await setImage(stage, second);
      await untilStatus(stage, { observedGeneration: 2 });
      await stage.settle();
      await setImage(stage, first);
      await untilStatus(stage, { observedGeneration: 3 });
      const revisions = await stage
        .of(ControllerRevisions)
        .untilAll((found) => found.some(({ revision }) => Number(revision) === 3));
      expect(revisions.map(({ revision }) => Number(revision)).toSorted()).toEqual([2, 3]);
    },
  },
  {
    name: "daemonset/15 keeps as many old revisions as the limit says, the newest ones",
    async play(stage) {
      await createSet(stage, { revisionHistoryLimit: 1 });
      for (const generation of [1, 2, 3, 4]) {
        await untilStatus(stage, { observedGeneration: generation });
        await stage.settle();
        if (generation < 4) await setImage(stage, `example/agent:${generation + 1}`);
      }
      const kept = await stage.of(ControllerRevisions).untilAll((revisions) => revisions.length === 2);
      expect(kept.map(({ revision }) => Number(revision)).toSorted()).toEqual([3, 4]);
    },
  },
  {
    name: "daemonset/14 takes another name when a stranger's revision has the name of its template",
    chance: [
      {
        where: /of phase 4 › (.*: \{play\} controllerrevisions agent-\w+ › [2-9]|get .*\/daemonsets\/agent)/,
        reason: "how often it tries before its cache shows the collision count",
      },
    ],
    async play(stage) {
      await createSet(stage);
      const [revision] = await stage.of(ControllerRevisions).untilAll((revisions) => revisions.length === 1);
      const name = revision?.metadata.name ?? "";
      await untilStatus(stage, { observedGeneration: 1 });
      await stage.settle();
      await stage.of(DaemonSets).delete("agent");
      await stage.of(ControllerRevisions).untilGone(name);
      await stage.of(ControllerRevisions).create({ metadata: { name }, revision: 1, data: { other: true } });
      await stage.settle();
      await createSet(stage);
      await untilStatus(stage, { collisionCount: 1, observedGeneration: 1 });
      const own = (await stage.of(ControllerRevisions).list()).filter(({ metadata }) => metadata.labels?.[HASH]);
      expect(own.map(({ metadata }) => metadata.name)).not.toContain(name);
    },
  },
  {
    name: "daemonset/17 counts a pod as available when it has been ready for minReadySeconds",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage, { minReadySeconds: 2 });
      await becomeReady(stage, a, first);
      await stage.calm(async () => {
        await untilStatus(stage, { numberReady: 1, numberAvailable: 0 });
      });
      await untilStatus(stage, { numberReady: 1, numberAvailable: 1 });
    },
  },
  {
    name: "daemonset/about, daemonset/tests creates and replaces pods without the guard against stale caches",
    profile: "older-workloads",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      await becomeReady(stage, a, first);
      await untilStatus(stage, { numberAvailable: 1 });
      await stage.settle();
      await setImage(stage, second);
      await becomeReady(stage, a, second);
      await untilStatus(stage, { updatedNumberScheduled: 1, numberAvailable: 1, observedGeneration: 2 });
    },
  },
  {
    name: "daemonset/traps, daemonset/12 takes no revision that differs by a null, and leaves the pods of that template",
    chance: [
      {
        where: /of phase 4 › (.*: \{play\} controllerrevisions agent-\w+ › [2-9]|get .*\/daemonsets\/agent)/,
        reason: "how often it tries before its cache shows the collision count",
      },
    ],
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      await becomeReady(stage, a, first);
      await untilStatus(stage, { numberAvailable: 1, updatedNumberScheduled: 1 });
      const [revision] = await stage.of(ControllerRevisions).list();
      const { name = "", labels = {} } = revision?.metadata ?? {};
      await stage.settle();
      await stage.of(DaemonSets).delete("agent", { propagationPolicy: "Orphan" });
      await stage.of(DaemonSets).untilGone("agent");
      await stage.of(Pods).untilAll((pods) => pods.every((pod) => getControllerOf(pod) === undefined));
      await stage.of(ControllerRevisions).delete(name);
      await stage
        .of(ControllerRevisions)
        .create({ metadata: { name, labels }, revision: 1, data: ofOldVersion(revision?.data) });
      await stage.settle();
      await createSet(stage);
      await untilStatus(stage, { collisionCount: 1, updatedNumberScheduled: 1, numberAvailable: 1 });
      const pods = await stage.of(Pods).list();
      expect(pods.map(({ metadata }) => metadata.labels?.[HASH])).toEqual([labels[HASH]]);
    },
  },
];
