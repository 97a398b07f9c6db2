// Why no node fits a pod, in upstream's words: the reasons with the number of nodes, then the result of preemption.
// Upstream: pkg/scheduler/framework/types.go, FitError; framework/preemption; plugins/defaultpreemption and
// dynamicresources

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { NodeState } from "./node-state.ts";
import type { PluginName, Rejection } from "./rejection.ts";

export interface FitFailure {
  readonly message: string;
  /** The plugins that rejected the pod: only changes that concern them can help. */
  readonly plugins: ReadonlySet<PluginName>;
}

export const NO_NODES: FitFailure = { message: "no nodes available to schedule pods", plugins: new Set() };

/** The same reason holds for all nodes. */
export function rejectedByAll({ plugin, reasons }: Rejection, nodeCount: number): FitFailure {
  // Upstream looks up a state that dynamic resources did not store, and adds that it is not found.
  const preemption = plugin === "DynamicResources" ? "" : " not found";
  const message = `0/${nodeCount} nodes are available: ${reasons.join(", ")}.${preemption}`;
  return { message, plugins: new Set([plugin]) };
}

/** nodeCount: the number of all nodes; those without a rejection are not named by the pod's affinity. */
export function rejectedByEach(pod: Pod, rejections: ReadonlyMap<NodeState, Rejection>, nodeCount: number): FitFailure {
  const counts = new Map<string, number>();
  const plugins = new Set<PluginName>();
  const count = (reason: string, nodes: number): void => void counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  for (const { plugin, reasons } of rejections.values()) {
    plugins.add(plugin);
    for (const reason of reasons) count(reason, 1);
  }
  const unnamed = nodeCount - rejections.size;
  if (unnamed > 0) {
    plugins.add("NodeAffinity");
    count("node(s) didn't satisfy plugin(s) [NodeAffinity]", unnamed);
  }
  const preemption = `no new claims to deallocate, preemption: ${preemptionText(pod, rejections, nodeCount)}`;
  return { message: `${histogram(counts, nodeCount)} ${preemption}`, plugins };
}

// Deviation: pods are not preempted, so no node has victims.
function preemptionText({ spec }: Pod, rejections: ReadonlyMap<NodeState, Rejection>, nodeCount: number): string {
  if (spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const resolvable = [...rejections.values()].filter(({ isResolvable }) => isResolvable).length;
  const counts = new Map<string, number>();
  if (resolvable > 0) counts.set("No preemption victims found for incoming pod", resolvable);
  if (nodeCount > resolvable) counts.set("Preemption is not helpful for scheduling", nodeCount - resolvable);
  return histogram(counts, nodeCount);
}

function histogram(counts: ReadonlyMap<string, number>, nodeCount: number): string {
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodeCount} nodes are available: ${reasons.join(", ")}.`;
}
