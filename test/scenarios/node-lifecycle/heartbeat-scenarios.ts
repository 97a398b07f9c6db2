// Nodes whose kubelets fall silent: the grace period is 4 s, at the start 5 s.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { createNode, postStatus, renewLease, runPod, type StoredNode, taintsOf } from "#test/stage/nodes.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { nodeWrites, readyOf, withHealthyNode } from "./steps.ts";

const KUBELET_CONDITIONS = ["DiskPressure", "MemoryPressure", "PIDPressure", "Ready"];

const statusesOf = ({ status }: StoredNode): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status }) => `${type} ${status}`).sort();

const isUnknown = ({ status }: StoredNode): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") ?? false;

/** So many seconds, in which the kubelet of the node renews its lease each second. */
async function renewing(stage: Stage, node: string, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    await renewLease(stage, node);
    await stage.pass(1000);
  }
}

/** Deletes the nodes before they fall silent, and waits for the Events about it. */
async function retire(stage: Stage, ...nodes: readonly string[]): Promise<void> {
  for (const name of nodes) await stage.of(Nodes).delete(name);
  await stage.pass(1500);
}

const profile = "node-heartbeats";

export const heartbeatScenarios: readonly ScenarioText[] = [
  {
    name: "node-lifecycle/5, node-lifecycle/6, node-lifecycle/10 makes the conditions of a silent node unknown, and marks its pods",
    profile,
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node", { isReady: true });
      await runPod(stage, "pod", node);
      const before = (await stage.of(Nodes).get(node)).status?.conditions ?? [];
      const { status } = await stage.of(Nodes).until(node, isUnknown);
      expect(statusesOf({ status } as StoredNode)).toEqual(KUBELET_CONDITIONS.map((type) => `${type} Unknown`));
      for (const condition of status?.conditions ?? []) {
        expect(condition).toMatchObject({
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
          lastHeartbeatTime: before[0]?.lastHeartbeatTime,
        });
      }
      await stage.of(Pods).until("pod", (pod) => readyOf(pod) === "False");
      await stage.event("NodeNotReady", ({ involvedObject }) => involvedObject.kind === "Pod");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).join() === "unreachable:NoSchedule");
    },
  },
  {
    name: "node-lifecycle/6 fills in the conditions of a node that never posted its status",
    profile,
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node");
      const { status, metadata } = await stage.of(Nodes).until(node, isUnknown);
      for (const condition of status?.conditions ?? []) {
        expect(condition).toMatchObject({
          status: "Unknown",
          reason: "NodeStatusNeverUpdated",
          message: "Kubelet never posted node status.",
          lastHeartbeatTime: metadata.creationTimestamp,
        });
      }
      expect(status?.conditions).toHaveLength(KUBELET_CONDITIONS.length);
    },
  },
  {
    name: "node-lifecycle/6 leaves NetworkUnavailable of a silent node alone",
    profile,
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node");
      await postStatus(stage, node, "True", { NetworkUnavailable: "False" });
      const silent = await stage.of(Nodes).until(node, isUnknown);
      expect(statusesOf(silent)).toContain("NetworkUnavailable False");
    },
  },
  {
    name: "node-lifecycle/5 believes in a node whose lease is renewed, with or without a status",
    profile,
    async play(stage) {
      const node = await createNode(stage, "node", { isReady: true });
      const bare = await createNode(stage, "bare");
      for (let passed = 0; passed < 7; passed++) {
        await renewLease(stage, node);
        await renewLease(stage, bare);
        await stage.pass(1000);
      }
      expect(isUnknown(await stage.of(Nodes).get(node))).toBe(false);
      expect((await stage.of(Nodes).get(bare)).status?.conditions ?? []).toEqual([]);
      await stage.calm(async () => {
        expect(await nodeWrites(stage, "update")).toEqual([]);
      });
      await retire(stage, node, bare);
    },
  },
  {
    name: "node-lifecycle/8, node-lifecycle/9 taints a silent node unreachable, and clears it when its kubelet is back",
    profile,
    async play(stage) {
      const { node, healthy } = await withHealthyNode(stage);
      await renewing(stage, healthy, 7);
      const tainted = "unreachable:NoExecute,unreachable:NoSchedule";
      await stage.of(Nodes).until(node, (object) => taintsOf(object).join() === tainted);
      await postStatus(stage, node, "True");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).length === 0);
      await retire(stage, node, healthy);
    },
  },
];
