// Why a pod cannot run on a node, or on any node.
// Upstream: k8s.io/kube-scheduler/framework/interface.go, Status

import type { NodeState } from "./node-state.ts";

/** Upstream's plugins that can reject a pod. */
export type PluginName =
  | "NodeUnschedulable"
  | "NodeName"
  | "TaintToleration"
  | "NodeAffinity"
  | "NodePorts"
  | "NodeResourcesFit"
  | "VolumeRestrictions"
  | "NodeVolumeLimits"
  | "VolumeBinding"
  | "VolumeZone"
  | "PodTopologySpread"
  | "InterPodAffinity"
  | "DynamicResources";

export interface Rejection {
  readonly plugin: PluginName;
  readonly reasons: readonly string[];
  /** The pod would fit if other pods were removed. */
  readonly isResolvable: boolean;
}

/** Undefined: the node fits. */
export type NodeFilter = (node: NodeState) => Rejection | undefined;

/** A filter for the nodes, a rejection for all of them, or undefined if the plugin has nothing to check. */
export type PreparedFilter = NodeFilter | Rejection | undefined;

export function unresolvable(plugin: PluginName, ...reasons: readonly string[]): Rejection {
  return { plugin, reasons, isResolvable: false };
}

export function resolvable(plugin: PluginName, ...reasons: readonly string[]): Rejection {
  return { plugin, reasons, isResolvable: true };
}
