// Scores by the pod's preferred node affinity and tolerations.
// Upstream: pkg/scheduler/framework/plugins: nodeaffinity, tainttoleration

import type { Node, Pod, PreferredSchedulingTerm } from "#api/generated/types/core-v1.ts";
import { matchesNodeSelector } from "#rules/node-affinity.ts";
import { isTaintTolerated, type TolerationOptions } from "../filters/node-constraints.ts";
import type { NodeState } from "../node-state.ts";
import { type Scores, scaledToLargest } from "./normalize.ts";

export function scoreNodeAffinity({ spec }: Pod, nodes: readonly NodeState[]): Scores {
  const terms = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (terms === undefined) return undefined;
  return scaledToLargest(
    nodes.map(({ node }) => (node === undefined ? 0 : weightOf(terms, node))),
    false,
  );
}

function weightOf(terms: readonly PreferredSchedulingTerm[], node: Node): number {
  let sum = 0;
  for (const { weight, preference } of terms) {
    if (matchesNodeSelector({ nodeSelectorTerms: [preference] }, node)) sum += weight;
  }
  return sum;
}

/** The fewer untolerated taints with PreferNoSchedule, the better. */
export function scoreTaints({ spec }: Pod, nodes: readonly NodeState[], options: TolerationOptions): Scores {
  const tolerations = (spec?.tolerations ?? []).filter(({ effect }) => !effect || effect === "PreferNoSchedule");
  const counts = nodes.map(({ node }) => {
    let count = 0;
    for (const taint of node?.spec?.taints ?? []) {
      if (taint.effect === "PreferNoSchedule" && !isTaintTolerated(taint, tolerations, options)) count++;
    }
    return count;
  });
  return scaledToLargest(counts, true);
}
