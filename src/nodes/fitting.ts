// Which nodes take a pod, and the scheduler's words for why others do not.
// Upstream: pkg/scheduler/framework/types.go, FitError; the Filter functions of nodeunschedulable, tainttoleration, nodeaffinity

import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { allowsNode } from "#rules/node-affinity.ts";
import { tolerates } from "#rules/toleration.ts";

const UNSCHEDULABLE = "node(s) were unschedulable";
const TAINTED = "node(s) had untolerated taint(s)";
const NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector";

/** Undefined: the node takes the pod. */
export function whyNot({ spec }: Pod, node: StoredCluster<Node>): string | undefined {
  const { metadata, spec: nodeSpec, status } = node;
  if (nodeSpec?.unschedulable === true || metadata.deletionTimestamp !== undefined) return UNSCHEDULABLE;
  const isReady = status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  // Only a tainted node is not ready where a node lifecycle controller runs.
  const isTolerated = (nodeSpec?.taints ?? [])
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) => spec?.tolerations?.some((toleration) => tolerates(toleration, taint)));
  if (!isReady || !isTolerated) return TAINTED;
  return spec === undefined || allowsNode(spec, node) ? undefined : NOT_SELECTED;
}

/** Of a pod that no node takes. */
export function whyNowhere(pod: Pod, nodes: readonly StoredCluster<Node>[]): string {
  if (nodes.length === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const reason = whyNot(pod, node);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes.length} nodes are available: ${reasons.join(", ")}.`;
}
