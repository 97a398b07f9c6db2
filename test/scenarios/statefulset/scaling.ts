// Creating and deleting the pods of StatefulSets: order, identity and failures.

import { expect } from "vitest";
import { ControllerRevisions, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { INT64_MAX } from "#api/int64.ts";
import { barePod, bind, finishDeletion, isTerminating, makeUnready, ownerUid, setPodStatus } from "#test/stage/pods.ts";
import { AWAY_MS, REFUSALS, type ScenarioText } from "#test/stage/scenario.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import { becomeReady, createReadySet, createSet, patchSpec, REVISION, untilPods, untilStatus } from "./objects.ts";

export const scaling: readonly ScenarioText[] = [
  {
    name: "statefulset/2, statefulset/6, statefulset/8 creates one pod after the other, each when the one before is ready",
    async play(stage) {
      const { metadata } = await createSet(stage, 2);
      const [first] = await untilPods(stage, "web-0");
      const [revision] = await stage.of(ControllerRevisions).list();
      const name = revision?.metadata.name ?? "";
      expect(revision).toMatchObject({ revision: 1, metadata: { labels: { app: "web" } } });
      expect(first?.metadata.labels).toEqual({
        app: "web",
        "apps.kubernetes.io/pod-index": "0",
        "statefulset.kubernetes.io/pod-name": "web-0",
        [REVISION]: name,
      });
      expect(first?.spec).toMatchObject({ hostname: "web-0", subdomain: "web" });
      expect(first?.metadata.ownerReferences?.[0]).toMatchObject({ uid: metadata.uid, controller: true });
      await stage.event(
        "SuccessfulCreate",
        ({ message }) => message === "Create Pod web-0 in StatefulSet web successful",
      );
      await becomeReady(stage, "web-0");
      await untilPods(stage, "web-0", "web-1");
      await becomeReady(stage, "web-1");
      await untilStatus(stage, {
        observedGeneration: 1,
        replicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 2,
        currentRevision: name,
        updateRevision: name,
        collisionCount: 0,
      });
    },
  },
  {
    name: "statefulset/2, workloads/S24 pods have every integer of the template, also beyond 2^53",
    virtualOnly: "Go's controller rounds the integer in the revision and then cannot read it",
    async play(stage) {
      const spec = { containers: [{ name: "main", image: "example/web:1" }], terminationGracePeriodSeconds: INT64_MAX };
      await createSet(stage, 1, { template: { metadata: { labels: { app: "web" } }, spec } });
      const [pod] = await untilPods(stage, "web-0");
      expect(pod?.spec?.terminationGracePeriodSeconds).toBe(INT64_MAX);
    },
  },
  {
    name: "statefulset/9 creates and deletes all pods at once when they are managed in parallel",
    async play(stage) {
      await createSet(stage, 3, { podManagementPolicy: "Parallel" });
      await untilPods(stage, "web-0", "web-1", "web-2");
      await untilStatus(stage, { replicas: 3, currentReplicas: 3 });
      await stage.settle();
      await patchSpec(stage, { replicas: 1 });
      await untilPods(stage, "web-0");
      await untilStatus(stage, { replicas: 1 });
    },
  },
  {
    name: "statefulset/10 deletes the pod of the highest ordinal first, and waits until it has ended",
    exceptions: [
      {
        where: /creates and deletes › statefulset-controller: delete pods/,
        reason:
          "stateful_set_control.go, processCondemned: a pod is deleted again while the cache does not show its deletion",
      },
    ],
    async play(stage) {
      await createReadySet(stage, 3);
      await bind(stage, "web-2", "node-1");
      await stage.settle();
      await patchSpec(stage, { replicas: 1 });
      await stage.of(Pods).until("web-2", isTerminating);
      await stage.settle();
      await stage.calm(async () => expect(isTerminating(await stage.of(Pods).get("web-1"))).toBe(false));
      await finishDeletion(stage, "web-2");
      await stage.of(Pods).untilGone("web-1");
      await untilStatus(stage, { replicas: 1, readyReplicas: 1 });
      await stage.event(
        "SuccessfulDelete",
        ({ message }) => message === "Delete Pod web-1 in StatefulSet web successful",
      );
    },
  },
  {
    name: "statefulset/10 deletes no pod while one below it is unhealthy",
    async play(stage) {
      await createReadySet(stage, 2);
      await makeUnready(stage, "web-0");
      await untilStatus(stage, { readyReplicas: 1 });
      await stage.settle();
      await patchSpec(stage, { replicas: 1 });
      await untilStatus(stage, { observedGeneration: 2 });
      await stage.settle();
      await untilPods(stage, "web-0", "web-1");
      await becomeReady(stage, "web-0");
      await untilPods(stage, "web-0");
      await untilStatus(stage, { replicas: 1 });
    },
  },
  {
    name: "statefulset/8 replaces a pod that failed or succeeded, under the same name",
    async play(stage) {
      await createReadySet(stage, 1);
      for (const phase of ["Failed", "Succeeded"]) {
        const { uid } = (await stage.of(Pods).get("web-0")).metadata;
        await setPodStatus(stage, "web-0", { phase, conditions: [] });
        await stage
          .of(Pods)
          .until("web-0", ({ metadata, status }) => metadata.uid !== uid && status?.phase === "Pending");
        await untilStatus(stage, { replicas: 1, readyReplicas: 0 });
        await stage.settle();
      }
    },
  },
  {
    name: "statefulset/5 counts ordinals from the start that the spec names, and moves when it changes",
    async play(stage) {
      await createReadySet(stage, 2, { ordinals: { start: 5 } });
      await untilPods(stage, "web-5", "web-6");
      await patchSpec(stage, { ordinals: { start: 6 } });
      await becomeReady(stage, "web-7");
      await untilPods(stage, "web-6", "web-7");
      await untilStatus(stage, { replicas: 2, readyReplicas: 2 });
    },
  },
  {
    name: "statefulset/1 adopts a pod with a name of its own, and no other; releases a pod whose labels change",
    chance: [{ where: /pods web-0 › \d+$/, reason: "how often it tries again before the phase ends" }],
    async play(stage) {
      await stage.of(Pods).create(barePod("web-0"));
      await stage.of(Pods).create(barePod("other-0"));
      await stage.settle();
      const { metadata } = await createSet(stage, 1);
      await stage.of(Pods).until("web-0", (pod) => ownerUid(pod) === metadata.uid);
      await untilStatus(stage, { replicas: 1 });
      await stage.settle();
      expect(ownerUid(await stage.of(Pods).get("other-0"))).toBeUndefined();
      await stage.of(Pods).patch("web-0", { metadata: { labels: { app: "mine" } } });
      await stage.of(Pods).until("web-0", (pod) => ownerUid(pod) === undefined);
      await stage.pass(6000); // the name is taken: the controller retries with back-off
      await stage.settle();
      await stage.of(Pods).delete("web-0");
      await stage.of(StatefulSets).patch("web", { metadata: { annotations: { again: "please" } } });
      await stage.of(Pods).until("web-0", (pod) => ownerUid(pod) === metadata.uid);
      await untilStatus(stage, { replicas: 1 });
    },
  },
  {
    name: "statefulset/8, statefulset/18 gives a pod the label with its name again",
    async play(stage) {
      await createReadySet(stage, 1);
      const label = "statefulset.kubernetes.io/pod-name";
      await stage.of(Pods).patch("web-0", { metadata: { labels: { [label]: "wrong" } } });
      await stage.of(Pods).until("web-0", ({ metadata }) => metadata.labels?.[label] === "web-0");
      await stage.event(
        "SuccessfulUpdate",
        ({ message }) => message === "Update Pod web-0 in StatefulSet web successful",
      );
    },
  },
  {
    name: "statefulset/events a quota refuses a pod: an event says so, and the pod is created once there is room",
    async play(stage) {
      await quotaOfPods(stage, 1);
      await stage.settle();
      await createSet(stage, 2, { podManagementPolicy: "Parallel" });
      await stage.untilRefused(REFUSALS);
      await untilPods(stage, "web-0");
      await untilStatus(stage, { replicas: 1 });
      await stage.event("FailedCreate", ({ message = "" }) =>
        message.startsWith("Create Pod web-1 in StatefulSet web failed error: pods"),
      );
      await stage.settle();
      await patchSpec(stage, { replicas: 1 });
      await untilStatus(stage, { observedGeneration: 2, replicas: 1 });
    },
  },
  {
    name: "statefulset/8, statefulset/16 waits minReadySeconds before a pod counts as available and the next is created",
    async play(stage) {
      await createSet(stage, 2, { minReadySeconds: 3 });
      await becomeReady(stage, "web-0");
      await stage.calm(async () => {
        await untilStatus(stage, { readyReplicas: 1, availableReplicas: 0 });
        expect(await stage.of(Pods).list()).toHaveLength(1);
      });
      await untilPods(stage, "web-0", "web-1");
      await untilStatus(stage, { replicas: 2, availableReplicas: 1 });
    },
  },
  {
    name: "statefulset/11 does nothing but count while it is being deleted",
    async play(stage) {
      await createReadySet(stage, 2);
      await stage.of(StatefulSets).patch("web", { metadata: { finalizers: ["example.com/hold"] } });
      await stage.of(StatefulSets).delete("web", { propagationPolicy: "Background" });
      await stage.settle();
      await stage.of(Pods).delete("web-1");
      await untilStatus(stage, { replicas: 1, readyReplicas: 1 });
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Pods).list()).toHaveLength(1));
      await stage.of(StatefulSets).patch("web", { metadata: { finalizers: null } });
      await stage.of(StatefulSets).untilGone("web");
    },
  },
  {
    name: "statefulset/8, statefulset/10 grows and shrinks as it was told while the API server was gone",
    alone: true,
    // stateful_set_control.go, processCondemned: while the watch of pods is not back, the next sync deletes the pod again.
    chance: [
      {
        where: /pods web-1 › 1$|SuccessfulDelete web\.\{\?\} › count$|events web\.\{\?\} › 1$/,
        reason: "whether the watch of StatefulSets or that of pods is back first after an outage",
      },
    ],
    async play(stage) {
      await createReadySet(stage, 1);
      await stage.outage(async () => {
        await patchSpec(stage, { replicas: 2 });
        await stage.pass(AWAY_MS);
      });
      await becomeReady(stage, "web-1");
      await untilStatus(stage, { replicas: 2, readyReplicas: 2 });
      await stage.settle();
      await stage.outage(async () => {
        await patchSpec(stage, { replicas: 1 });
        await stage.pass(AWAY_MS);
      });
      await stage.of(Pods).untilGone("web-1");
      await untilStatus(stage, { replicas: 1, readyReplicas: 1 });
    },
  },
];
