// Taints that follow conditions, labels, and the pods of a node that reports that it is not ready.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import {
  createNode,
  postStatus,
  runPod,
  type StoredNode,
  TAINT_ORDER,
  TAINTED_AGAIN,
  taint,
  taintsOf,
} from "#test/stage/nodes.ts";
import { barePod, bind, podSpec, type StoredPod, setPodStatus } from "#test/stage/pods.ts";
import type { Excuse, ScenarioText } from "#test/stage/scenario.ts";
import { nodeWrites, readyOf, withHealthyNode } from "./steps.ts";

const LABELS_AGAIN: Excuse = {
  where: /node-controller: nodes node-\{play\} › 2/,
  reason: "controller_utils.go, AddOrUpdateLabelsOnNode: a change that is seen before the own patch makes an empty one",
};

/**
 * Longer than the interval between two taintings of a node: a check before the cache has the taint queues the node
 * again.
 */
const TAINTED_MS = 3000;

export const conditionScenarios: readonly ScenarioText[] = [
  {
    name: "node-lifecycle/1, node-lifecycle/3, node-lifecycle/writes removes the taint of a new node, and gives each condition its NoSchedule taint",
    async play(stage) {
      const node = await createNode(stage, "node", { isReady: true });
      await stage.settle();
      await postStatus(stage, node, "True", {
        MemoryPressure: "True",
        DiskPressure: "True",
        PIDPressure: "True",
        NetworkUnavailable: "True",
      });
      const pressure = ["disk-pressure", "memory-pressure", "network-unavailable", "pid-pressure"];
      const { spec } = await stage.of(Nodes).until(node, (object) => taintsOf(object).length === pressure.length);
      expect(spec?.taints?.map(({ key, effect }) => `${key} ${effect}`).sort()).toEqual(
        pressure.map((key) => `node.kubernetes.io/${key} NoSchedule`),
      );
      expect(spec?.taints?.every(({ timeAdded }) => timeAdded !== undefined)).toBe(true);
      await stage.settle();
      await postStatus(stage, node, "True", { MemoryPressure: "True", NetworkUnavailable: "False" });
      await stage.of(Nodes).until(node, (object) => taintsOf(object).join() === "memory-pressure:NoSchedule");
    },
  },
  {
    name: "node-lifecycle/1 taints a node that is unschedulable, and leaves the taints of users alone",
    async play(stage) {
      const node = await createNode(stage, "node");
      await taint(stage, node, { key: "example.com/mine", effect: "NoSchedule" });
      await stage.settle();
      await stage.of(Nodes).patch(node, { spec: { unschedulable: true } });
      const isTainted = (object: StoredNode): boolean => taintsOf(object).includes("unschedulable:NoSchedule");
      await stage.of(Nodes).until(node, isTainted);
      await stage.settle();
      await stage.of(Nodes).patch(node, { spec: { unschedulable: null } });
      const { spec } = await stage.of(Nodes).until(node, (object) => !isTainted(object));
      expect(spec?.taints).toEqual([{ key: "example.com/mine", effect: "NoSchedule" }]);
    },
  },
  {
    name: "node-lifecycle/2 sets the beta labels of OS and architecture to the stable ones",
    chance: [LABELS_AGAIN],
    async play(stage) {
      const labels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64" };
      const node = await createNode(stage, "node", { labels });
      const { metadata } = await stage
        .of(Nodes)
        .until(node, ({ metadata }) => metadata.labels?.["beta.kubernetes.io/os"] === "linux");
      expect(metadata.labels?.["beta.kubernetes.io/arch"]).toBe("arm64");
      await stage.settle();
      await stage.of(Nodes).patch(node, { metadata: { labels: { "kubernetes.io/os": null } } });
      await stage.calm(async () => {
        await stage.settle();
        const { labels: left } = (await stage.of(Nodes).get(node)).metadata;
        expect(left?.["beta.kubernetes.io/os"]).toBe("linux");
      });
    },
  },
  {
    name: "node-lifecycle/4, node-lifecycle/events, node-lifecycle/tests says when nodes come and go, and takes NoExecute taints off a new one",
    chance: [TAINT_ORDER],
    async play(stage) {
      const key = "node.kubernetes.io/unreachable";
      const node = await createNode(stage, "node", { isReady: true, spec: { taints: [{ key, effect: "NoExecute" }] } });
      await stage.of(Nodes).until(node, (object) => taintsOf(object).length === 0);
      await stage.settle();
      await stage.of(Nodes).delete(node);
      await stage.pass(2000);
    },
  },
  {
    name: "node-lifecycle/8, node-lifecycle/10 taints a node that is not ready, and marks its pods",
    chance: [TAINT_ORDER],
    async play(stage) {
      const { node } = await withHealthyNode(stage);
      await runPod(stage, "pod", node);
      await stage.of(Pods).create(barePod("silent"));
      await bind(stage, "silent", node);
      await stage.settle();
      await postStatus(stage, node, "False");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).length === 2);
      expect(taintsOf(await stage.of(Nodes).get(node))).toEqual(["not-ready:NoExecute", "not-ready:NoSchedule"]);
      // The kubelet reported False before the controller's check: only a status that the controller sets counts as a
      // failure.
      await stage.settle();
      expect(readyOf(await stage.of(Pods).get("pod"))).toBe("True");
      await postStatus(stage, node, "True");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).length === 0);
    },
  },
  {
    name: "node-lifecycle/8, node-lifecycle/9 swaps not-ready and unreachable at once, without the queue",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node } = await withHealthyNode(stage);
      await stage.settle();
      await postStatus(stage, node, "False");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).includes("not-ready:NoExecute"));
      await stage.settle(TAINTED_MS);
      await postStatus(stage, node, "Unknown");
      await stage
        .of(Nodes)
        .until(node, (object) => taintsOf(object).join() === "unreachable:NoExecute,unreachable:NoSchedule");
      await stage.settle();
      await postStatus(stage, node, "False");
      await stage
        .of(Nodes)
        .until(node, (object) => taintsOf(object).join() === "not-ready:NoExecute,not-ready:NoSchedule");
    },
  },
  {
    name: "node-lifecycle/8 taints a node again from which a user took the taint",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node } = await withHealthyNode(stage);
      await stage.settle();
      await postStatus(stage, node, "False");
      const isTainted = (object: StoredNode): boolean => taintsOf(object).includes("not-ready:NoExecute");
      await stage.of(Nodes).until(node, isTainted);
      await stage.settle(TAINTED_MS);
      await stage.of(Nodes).update(node, (object) => ({
        ...object,
        spec: { ...object.spec, taints: (object.spec?.taints ?? []).filter(({ effect }) => effect !== "NoExecute") },
      }));
      await stage.of(Nodes).until(node, isTainted);
    },
  },
  {
    name: "node-lifecycle/11 marks a ready pod that is bound to a node which is not ready",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node } = await withHealthyNode(stage);
      await stage.settle();
      await postStatus(stage, node, "False");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).includes("not-ready:NoExecute"));
      await stage.settle(TAINTED_MS);
      const tolerations = [{ operator: "Exists" }];
      await stage.of(Pods).create({ ...barePod("late"), spec: { ...podSpec, tolerations } });
      await setPodStatus(stage, "late", {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True", reason: "Kept", message: "kept, too" }],
      });
      await stage.settle();
      await bind(stage, "late", node);
      const isMarked = (pod: StoredPod): boolean => readyOf(pod) === "False";
      const { status } = await stage.of(Pods).until("late", isMarked);
      expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
        reason: "Kept",
        message: "kept, too",
      });
      await stage.event("NodeNotReady", ({ type, message }) => type === "Warning" && message === "Node is not ready");
    },
  },
  {
    name: "node-lifecycle/14 deletes no pod of a node that is not ready and not tainted long enough",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node } = await withHealthyNode(stage);
      await runPod(stage, "pod", node);
      await stage.settle();
      await postStatus(stage, node, "False");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).includes("not-ready:NoExecute"));
      await stage.settle(TAINTED_MS);
      // Admission lets the pod tolerate the taint for 300 s.
      expect((await stage.of(Pods).get("pod")).metadata.deletionTimestamp).toBeUndefined();
      await stage.calm(async () => {
        expect(await nodeWrites(stage, "delete")).toEqual([]);
      });
    },
  },
];
