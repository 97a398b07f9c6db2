// Checks required affinity and anti-affinity between pods: the incoming pod's terms against the pods on the nodes, and
// the terms of those pods against the incoming one.
// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go

import type { Labels } from "#api/label-selector.ts";
import {
  type AffinityTerm,
  type AffinityTerms,
  allTermsMatch,
  type TermSubject,
  termMatches,
  withSelectedNamespaces,
} from "../affinity-terms.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { ClusterState } from "../cluster-state.ts";
import type { PodClass } from "../pod-class.ts";
import { type PreparedFilter, resolvable, unresolvable } from "../rejection.ts";
import { TopologyCounts } from "../topology-counts.ts";

const NO_AFFINITY = unresolvable("InterPodAffinity", "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = resolvable("InterPodAffinity", "node(s) didn't match pod anti-affinity rules");
const EXISTING = resolvable("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules");

export function filterPodAffinity(
  subject: TermSubject,
  terms: AffinityTerms,
  state: ClusterState,
  objects: Pick<ClusterObjects, "namespaces">,
): PreparedFilter {
  const existing = existingAntiAffinity(subject, state, objects);
  if (existing.isEmpty && terms.requiredAffinity.length === 0 && terms.requiredAntiAffinity.length === 0)
    return undefined;
  const near = withSelectedNamespaces(terms.requiredAffinity, objects.namespaces);
  const apart = withSelectedNamespaces(terms.requiredAntiAffinity, objects.namespaces);
  const nearCounts = new TopologyCounts();
  const apartCounts = new TopologyCounts();
  if (near.length > 0 || apart.length > 0) {
    for (const podClass of state.allClasses()) {
      if (allTermsMatch(near, podClass)) for (const term of near) addClass(nearCounts, term, podClass);
      for (const term of apart) if (termMatches(term, podClass)) addClass(apartCounts, term, podClass);
    }
  }
  // The first pod of a group with affinity to itself may go anywhere.
  const isFirst = nearCounts.isEmpty && allTermsMatch(near, subject);
  return ({ labels }) => {
    if (!isNear(near, nearCounts, labels, isFirst)) return NO_AFFINITY;
    if (apart.some(({ topologyKey }) => apartCounts.at(topologyKey, labels) > 0)) return ANTI_AFFINITY;
    return existing.hasAny(labels) ? EXISTING : undefined;
  };
}

function existingAntiAffinity(
  subject: TermSubject,
  state: ClusterState,
  { namespaces }: Pick<ClusterObjects, "namespaces">,
): TopologyCounts {
  const counts = new TopologyCounts();
  const namespaceLabels = namespaces.get(subject.namespace)?.metadata.labels;
  for (const podClass of state.classesWithRequiredAntiAffinity) {
    for (const term of podClass.terms.requiredAntiAffinity) {
      if (termMatches(term, subject, namespaceLabels)) addClass(counts, term, podClass);
    }
  }
  return counts;
}

function addClass(counts: TopologyCounts, { topologyKey }: AffinityTerm, { countByNode }: PodClass): void {
  for (const [node, count] of countByNode) if (node.node !== undefined) counts.add(topologyKey, node.labels, count);
}

/** The node must have all topology keys, even for the first pod of a group. */
function isNear(terms: readonly AffinityTerm[], counts: TopologyCounts, labels: Labels, isFirst: boolean): boolean {
  let isMet = true;
  for (const { topologyKey } of terms) {
    if (labels[topologyKey] === undefined) return false;
    if (counts.at(topologyKey, labels) <= 0) isMet = false;
  }
  return isMet || isFirst;
}
