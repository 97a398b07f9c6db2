// Pods that are equal for all affinity and spread constraints, and their number on each node. The pods of a ReplicaSet
// are one class, so that matching a selector costs one step for all of them.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Labels } from "#api/label-selector.ts";
import type { Stored } from "#api/resource.ts";
import { type AffinityTerms, knownAffinityTerms } from "./affinity-terms.ts";
import type { NodeState } from "./node-state.ts";

export class PodClass {
  readonly namespace: string;
  readonly labels: Labels | undefined;
  readonly isTerminating: boolean;
  readonly terms: AffinityTerms;
  readonly countByNode: Map<NodeState, number> = new Map();

  constructor(pod: Stored<Pod>) {
    const { metadata } = pod;
    this.namespace = metadata.namespace;
    this.labels = metadata.labels;
    this.isTerminating = metadata.deletionTimestamp !== undefined;
    this.terms = knownAffinityTerms(pod);
  }

  count(node: NodeState, change: 1 | -1): void {
    const count = (this.countByNode.get(node) ?? 0) + change;
    if (count === 0) this.countByNode.delete(node);
    else this.countByNode.set(node, count);
  }

  get hasRequiredAntiAffinity(): boolean {
    return this.terms.requiredAntiAffinity.length > 0;
  }

  /** True if its pods have affinity or anti-affinity terms. */
  get hasTerms(): boolean {
    const { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity } = this.terms;
    return [requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity].some(
      (terms) => terms.length > 0,
    );
  }
}
