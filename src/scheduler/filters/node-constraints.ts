// Checks whether a node accepts the pod at all: unschedulable nodes, the pod's node name, taints, node selector and
// affinity.
// Upstream: pkg/scheduler/framework/plugins: nodeunschedulable, nodename, tainttoleration, nodeaffinity

import type { Pod, Taint, Toleration } from "#api/generated/types/core-v1.ts";
import { allowsNode } from "#rules/node-affinity.ts";
import { tolerates } from "#rules/toleration.ts";
import { type NodeFilter, type PreparedFilter, unresolvable } from "../rejection.ts";

const UNSCHEDULABLE = unresolvable("NodeUnschedulable", "node(s) were unschedulable");
const WRONG_NAME = unresolvable("NodeName", "node(s) didn't match the requested node name");
const TAINTED = unresolvable("TaintToleration", "node(s) had untolerated taint(s)");
const NOT_SELECTED = unresolvable("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
const CONFLICT = unresolvable("NodeAffinity", "pod affinity terms conflict");
const UNSCHEDULABLE_TAINT: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export interface TolerationOptions {
  /** The gate TaintTolerationComparisonOperators. */
  readonly comparesIntegers: boolean;
}

export function filterUnschedulable({ spec }: Pod, options: TolerationOptions): NodeFilter {
  const isTolerated = isTaintTolerated(UNSCHEDULABLE_TAINT, spec?.tolerations, options);
  return ({ node }) => (node?.spec?.unschedulable === true && !isTolerated ? UNSCHEDULABLE : undefined);
}

export function filterNodeName({ spec }: Pod): PreparedFilter {
  const name = spec?.nodeName;
  return name ? (node) => (node.name === name ? undefined : WRONG_NAME) : undefined;
}

export function filterTaints({ spec }: Pod, options: TolerationOptions): NodeFilter {
  return ({ node }) => {
    const taints = node?.spec?.taints;
    return taints === undefined || toleratesTaints(taints, spec?.tolerations, options) ? undefined : TAINTED;
  };
}

/** Checks the taints that keep pods away. */
export function toleratesTaints(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  options: TolerationOptions,
): boolean {
  return taints.every(
    (taint) =>
      (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") || isTaintTolerated(taint, tolerations, options),
  );
}

export function isTaintTolerated(
  taint: Taint,
  tolerations: readonly Toleration[] = [],
  { comparesIntegers }: TolerationOptions,
): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint, comparesIntegers));
}

export function filterNodeAffinity({ spec }: Pod): PreparedFilter {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec === undefined || (required === undefined && spec.nodeSelector === undefined)) return undefined;
  if (namedNodes({ spec })?.size === 0) return CONFLICT;
  return ({ node }) => (node !== undefined && allowsNode(spec, node) ? undefined : NOT_SELECTED);
}

/** The only possible nodes, if every term of the required affinity names some. Undefined: all. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...others] = lists.map(({ values = [] }) => new Set(values));
    if (first === undefined) return undefined;
    for (const name of others.reduce((names, list) => names.intersection(list), first)) all.add(name);
  }
  return all;
}
