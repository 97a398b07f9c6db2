// Why a pod cannot run on a node, or on none at all.
// Upstream: k8s.io/kube-scheduler/framework/interface.go, Status

import type { NodeState } from "./node-state.ts";

/** Upstream's plugins that can turn a pod down. */
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
  /** The pod would fit if other pods went away. */
  readonly isResolvable: boolean;
}

/** Undefined: the node is fine. */
export type NodeFilter = (node: NodeState) => Rejection | undefined;

/** A filter for the nodes, a rejection by all of them, or undefined where the plugin has nothing to check for the pod. */
export type PreparedFilter = NodeFilter | Rejection | undefined;

export function unresolvable(plugin: PluginName, ...reasons: readonly string[]): Rejection {
  return { plugin, reasons, isResolvable: false };
}

export function resolvable(plugin: PluginName, ...reasons: readonly string[]): Rejection {
  return { plugin, reasons, isResolvable: true };
}
