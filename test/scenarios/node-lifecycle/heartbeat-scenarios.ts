// Nodes whose kubelets fall silent: the grace period is 4 s, and 5 s at the start.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import {
  createNode,
  postStatus,
  renewLease,
  runPod,
  type StoredNode,
  TAINT_ORDER,
  TAINTED_AGAIN,
  taintsOf,
} from "#test/stage/nodes.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { createNodes, nodeWrites, readyOf, withHealthyNode, zoneLabels } from "./steps.ts";

const KUBELET_CONDITIONS = ["DiskPressure", "MemoryPressure", "PIDPressure", "Ready"];

const statusesOf = ({ status }: StoredNode): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status }) => `${type} ${status}`).sort();

const isUnknown = ({ status }: StoredNode): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") ?? false;

/** Renews the node's lease each second, for this many seconds. */
async function renewing(stage: Stage, node: string, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    await renewLease(stage, node);
    await stage.pass(1000);
  }
}

async function untilUnreachable(stage: Stage, node: string): Promise<void> {
  const tainted = "unreachable:NoExecute,unreachable:NoSchedule";
  await stage.of(Nodes).until(node, (object) => taintsOf(object).join() === tainted);
}

const profile = "node-heartbeats";

export const heartbeatScenarios: readonly ScenarioText[] = [
  {
    name: "node-lifecycle/5, node-lifecycle/6, node-lifecycle/10 makes the conditions of a silent node unknown, and marks its pods",
    profile,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node, healthy } = await withHealthyNode(stage);
      await runPod(stage, "pod", node);
      const before = (await stage.of(Nodes).get(node)).status?.conditions ?? [];
      await renewing(stage, healthy, 6);
      const { status } = await stage.of(Nodes).until(node, isUnknown);
      expect(statusesOf({ status } as StoredNode)).toEqual(KUBELET_CONDITIONS.map((type) => `${type} Unknown`));
      for (const condition of status?.conditions ?? []) {
        expect(condition).toMatchObject({
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
          lastHeartbeatTime: before[0]?.lastHeartbeatTime,
        });
      }
      // A manager that dies between the node's status and the pod's leaves the pod unchanged, as upstream.
      await stage.calm(async () => {
        await stage.of(Pods).until("pod", (pod) => readyOf(pod) === "False");
      });
      await stage.event("NodeNotReady", ({ involvedObject }) => involvedObject.kind === "Pod");
      await untilUnreachable(stage, node);
    },
  },
  {
    name: "node-lifecycle/6 fills in the conditions of a node that never posted its status",
    profile,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const [healthy = ""] = await createNodes(stage, ["healthy"]);
      const node = await createNode(stage, "node", { labels: zoneLabels(stage) });
      await renewing(stage, healthy, 6);
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
      // With lagging caches the other node counts as silent too: then no node is tainted.
      await stage.calm(() => untilUnreachable(stage, node));
    },
  },
  {
    name: "node-lifecycle/6 leaves NetworkUnavailable of a silent node alone",
    profile,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node, healthy } = await withHealthyNode(stage);
      await postStatus(stage, node, "True", { NetworkUnavailable: "False" });
      await renewing(stage, healthy, 6);
      const silent = await stage.of(Nodes).until(node, isUnknown);
      expect(statusesOf(silent)).toContain("NetworkUnavailable False");
      await untilUnreachable(stage, node);
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
      // A lag of 3 s is nearly a grace period.
      await stage.calm(async () => {
        expect(isUnknown(await stage.of(Nodes).get(node))).toBe(false);
        expect((await stage.of(Nodes).get(bare)).status?.conditions ?? []).toEqual([]);
        expect(await nodeWrites(stage, "update")).toEqual([]);
      });
    },
  },
  {
    name: "node-lifecycle/8, node-lifecycle/9 taints a silent node unreachable, and clears it when its kubelet is back",
    profile,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const { node, healthy } = await withHealthyNode(stage);
      await renewing(stage, healthy, 7);
      await untilUnreachable(stage, node);
      await postStatus(stage, node, "True");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).length === 0);
    },
  },
];
