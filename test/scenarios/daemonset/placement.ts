// Placement of DaemonSet pods.

import { expect } from "vitest";
import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { podTemplateHash } from "#api/hash.ts";
import { barePod, bind, makeReady, ownerUid, podSpec, setPodStatus } from "#test/stage/pods.ts";
import { AWAY_MS, REFUSALS, type ScenarioText } from "#test/stage/scenario.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import { createNode, createSet, HASH, nodeOf, patchSpec, playLabel, untilPodsOn, untilStatus } from "./objects.ts";

export const placement: readonly ScenarioText[] = [
  {
    name: "daemonset/3, daemonset/4, daemonset/13, daemonset/16 creates a pod for each node that it selects, at the revision of its template",
    async play(stage) {
      const [a, b] = [await createNode(stage, "a"), await createNode(stage, "b")];
      const { spec, metadata } = await createSet(stage);
      const [pod, other] = await untilPodsOn(stage, a, b);
      const hash = podTemplateHash(spec?.template ?? {});
      expect(pod?.metadata.labels).toEqual({ app: "agent", [HASH]: hash, "pod-template-generation": "1" });
      expect(pod?.metadata.ownerReferences?.[0]).toMatchObject({ uid: metadata.uid, controller: true });
      expect(pod?.spec?.tolerations?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
        "node.kubernetes.io/not-ready:NoExecute",
        "node.kubernetes.io/unreachable:NoExecute",
        "node.kubernetes.io/disk-pressure:NoSchedule",
        "node.kubernetes.io/memory-pressure:NoSchedule",
        "node.kubernetes.io/pid-pressure:NoSchedule",
        "node.kubernetes.io/unschedulable:NoSchedule",
      ]);
      const [revision] = await stage.of(ControllerRevisions).list();
      expect(revision).toMatchObject({ metadata: { name: `agent-${hash}`, labels: { [HASH]: hash } }, revision: 1 });
      await stage.settle();
      await makeReady(stage, pod?.metadata.name ?? "");
      await untilStatus(stage, {
        observedGeneration: 1,
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberReady: 1,
        numberAvailable: 1,
        numberUnavailable: 1,
      });
      await stage.event("SuccessfulCreate", ({ message }) => message === `Created pod: ${other?.metadata.name}`);
    },
  },
  {
    name: "daemonset/18, daemonset/5 follows nodes that come, change their labels and go",
    chance: [
      {
        where: /^objects › DaemonSet agent › metadata\.managedFields.*numberMisscheduled/,
        reason: "whether the cache still shows the deleted pod when the same sync counts: a count that was 1 is owned",
      },
    ],
    async play(stage) {
      await createSet(stage);
      await untilStatus(stage, { observedGeneration: 1 });
      await stage.settle();
      const a = await createNode(stage, "a");
      await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
      await stage.settle();
      await stage.of(Nodes).patch(a, { metadata: { labels: { play: null } } });
      const [pod] = await stage.of(Pods).list();
      await stage.settle();
      await stage.of(DaemonSets).patch("agent", { metadata: { annotations: { again: "please" } } });
      await stage.of(Pods).untilGone(pod?.metadata.name ?? "");
      await untilStatus(stage, { desiredNumberScheduled: 0, currentNumberScheduled: 0 });
      await stage.settle();
      await stage.of(Nodes).patch(a, { metadata: { labels: playLabel(stage) } });
      await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
    },
  },
  {
    name: "daemonset/18 removes the pod of a node that is gone with the next event of the set",
    virtualOnly:
      "no event of the node queues the set, so the watch of nodes must be there again first, which takes up to 30 s",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
      await stage.of(Nodes).delete(a);
      await stage.pass(60_000);
      await stage.of(DaemonSets).patch("agent", { metadata: { annotations: { again: "thanks" } } });
      await untilPodsOn(stage);
      await untilStatus(stage, { desiredNumberScheduled: 0 });
    },
  },
  {
    name: "daemonset/2, daemonset/8 leaves a pod where NoSchedule came later, and removes it where NoExecute did",
    async play(stage) {
      const a = await createNode(stage, "a");
      const b = await createNode(stage, "b", [{ key: "example.com/full", effect: "NoSchedule" }]);
      await createSet(stage);
      const [pod] = await untilPodsOn(stage, a);
      await untilStatus(stage, { desiredNumberScheduled: 1, currentNumberScheduled: 1 });
      await bind(stage, pod?.metadata.name ?? "", a);
      await stage.settle();
      await stage.of(Nodes).patch(a, { spec: { taints: [{ key: "example.com/full", effect: "NoSchedule" }] } });
      await stage.of(DaemonSets).patch("agent", { metadata: { annotations: { again: "please" } } });
      await untilStatus(stage, { desiredNumberScheduled: 0, numberMisscheduled: 1 });
      await stage.settle();
      await stage.of(Nodes).patch(a, { spec: { taints: [{ key: "example.com/out", effect: "NoExecute" }] } });
      await stage.of(Pods).until(pod?.metadata.name ?? "", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.settle();
      await patchSpec(stage, {
        template: { spec: { tolerations: [{ key: "example.com/full", operator: "Exists" }] } },
      });
      await stage.of(Pods).untilAll((pods) => pods.some((found) => nodeOf(found) === b));
      await untilStatus(stage, { desiredNumberScheduled: 1, currentNumberScheduled: 1 });
    },
  },
  {
    name: "daemonset/2, daemonset/about compares the numbers of taints and tolerations where the gate is on",
    profile: "numeric-taints",
    async play(stage) {
      const level = (value: string) => ({ key: "example.com/level", value, effect: "NoSchedule" });
      const a = await createNode(stage, "a", [level("5")]);
      const b = await createNode(stage, "b", [level("3")]);
      await createNode(stage, "c", [level("high")]);
      const tolerations = [{ key: "example.com/level", operator: "Gt", value: "3", effect: "NoSchedule" }];
      await createSet(stage, {}, { tolerations });
      const [pod] = await untilPodsOn(stage, a);
      await untilStatus(stage, { desiredNumberScheduled: 1, currentNumberScheduled: 1 });
      await bind(stage, pod?.metadata.name ?? "", a);
      await stage.settle();
      await stage.of(Nodes).patch(b, { spec: { taints: [level("4")] } });
      await untilPodsOn(stage, a, b);
      await untilStatus(stage, { desiredNumberScheduled: 2, currentNumberScheduled: 2 });
      await stage.settle();
      await stage.of(Nodes).patch(a, { spec: { taints: [level("2")] } });
      await stage.of(DaemonSets).patch("agent", { metadata: { annotations: { again: "please" } } });
      await untilStatus(stage, { desiredNumberScheduled: 1, numberMisscheduled: 1 });
    },
  },
  {
    name: "daemonset/2 obeys the required node affinity of its template",
    async play(stage) {
      const [a, b] = [await createNode(stage, "a"), await createNode(stage, "b")];
      const nodeSelectorTerms = [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }];
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
      };
      await createSet(stage, {}, { affinity });
      await untilStatus(stage, { observedGeneration: 1, desiredNumberScheduled: 0 });
      await stage.settle();
      await stage.of(Nodes).patch(b, { metadata: { labels: { disk: "ssd" } } });
      await untilPodsOn(stage, b);
      await untilStatus(stage, { desiredNumberScheduled: 1, currentNumberScheduled: 1 });
      expect(a).not.toBe(b);
    },
  },
  {
    name: "daemonset/6 replaces failed pods with growing delays, and succeeded ones at once, and says so",
    chance: [
      {
        where: /^writes of phase \d › .* daemonsets agent$/,
        reason: "whether a sync counts between the end of a pod and the start of the next one",
      },
    ],
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      for (const phase of ["Failed", "Succeeded"]) {
        const [pod] = await untilPodsOn(stage, a);
        const name = pod?.metadata.name ?? "";
        await stage.settle();
        await setPodStatus(stage, name, { phase });
        await stage.of(Pods).untilGone(name);
        await untilPodsOn(stage, a);
        await untilStatus(stage, { currentNumberScheduled: 1 });
        await stage.event(`${phase}DaemonPod`, ({ message = "" }) =>
          message.includes(`pod ${stage.namespace}/${name}`),
        );
      }
    },
  },
  {
    name: "workloads/S13, daemonset/5 adopts a pod of its labels, and keeps one pod on each node",
    chance: [
      {
        where: /of phase 2 › (daemon-set-controller: \{play\} pods stray › [1-9]\d*$|get .*\/daemonsets\/agent)/,
        reason: "how often it adopts the pod before its cache shows it",
      },
    ],
    async play(stage) {
      const a = await createNode(stage, "a");
      await stage.of(Pods).create({ ...barePod("stray", { app: "agent" }), spec: { ...podSpec, nodeName: a } });
      await makeReady(stage, "stray");
      await stage.settle();
      const { metadata } = await createSet(stage, { updateStrategy: { type: "OnDelete" } });
      await stage.of(Pods).until("stray", (pod) => ownerUid(pod) === metadata.uid);
      await untilStatus(stage, { currentNumberScheduled: 1, numberReady: 1, updatedNumberScheduled: 0 });
      expect(await stage.of(Pods).list()).toHaveLength(1);
    },
  },
  {
    name: "daemonset/9 a quota refuses a pod: it tries again, and the status tells what is missing",
    async play(stage) {
      await quotaOfPods(stage, 0);
      await createNode(stage, "a");
      await stage.settle();
      await createSet(stage);
      await stage.untilRefused(REFUSALS);
      await untilStatus(stage, { desiredNumberScheduled: 1, currentNumberScheduled: 0, numberUnavailable: 1 });
      await stage.event("FailedCreate", ({ message = "" }) => message.includes("exceeded quota"));
    },
  },
  {
    name: "daemonset/1 does nothing more while it is being deleted",
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      const [pod] = await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
      await stage.of(DaemonSets).patch("agent", { metadata: { finalizers: ["example.com/hold"] } });
      await stage.settle();
      await stage.of(DaemonSets).delete("agent", { propagationPolicy: "Background" });
      await stage.of(Pods).delete(pod?.metadata.name ?? "");
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Pods).list()).toHaveLength(0));
      await stage.of(DaemonSets).patch("agent", { metadata: { finalizers: null } });
      await stage.of(DaemonSets).untilGone("agent");
    },
  },
  {
    name: "daemonset/18, daemonset/5 finds a node that came while the API server was gone",
    alone: true,
    async play(stage) {
      const a = await createNode(stage, "a");
      await createSet(stage);
      await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
      await stage.settle();
      let b = "";
      await stage.outage(async () => {
        b = await createNode(stage, "b");
        await stage.pass(AWAY_MS);
      });
      await untilPodsOn(stage, a, b);
      await untilStatus(stage, { desiredNumberScheduled: 2, currentNumberScheduled: 2 });
    },
  },
  {
    name: "daemonset/9, daemonset/5 creates pods where they are missing before it deletes those on other nodes",
    async play(stage) {
      const [a, b] = [await createNode(stage, "a"), await createNode(stage, "b")];
      for (const [node, disk] of [
        [a, "hdd"],
        [b, "ssd"],
      ] as const) {
        await stage.of(Nodes).patch(node, { metadata: { labels: { disk } } });
      }
      await createSet(
        stage,
        { updateStrategy: { type: "OnDelete" } },
        { nodeSelector: { ...playLabel(stage), disk: "hdd" } },
      );
      await untilPodsOn(stage, a);
      await untilStatus(stage, { currentNumberScheduled: 1 });
      await stage.settle();
      await patchSpec(stage, { template: { spec: { nodeSelector: { disk: "ssd" } } } });
      await untilPodsOn(stage, b);
      await untilStatus(stage, { currentNumberScheduled: 1, numberMisscheduled: 0, observedGeneration: 2 });
      await stage.calm(async () => {
        const changes = (await stage.writes()).filter(({ resource }) => resource === "pods").map(({ verb }) => verb);
        expect(changes.slice(-2)).toEqual(["create", "delete"]);
      });
    },
  },
];
