// Scores by the preferred affinity and anti-affinity of the pod, and of the pods on the nodes.
// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go

import {
  type AffinityTerm,
  type AffinityTerms,
  type TermSubject,
  termMatches,
  type WeightedTerm,
  withSelectedNamespaces,
} from "../affinity-terms.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { ClusterState } from "../cluster-state.ts";
import type { NodeState } from "../node-state.ts";
import type { PodClass } from "../pod-class.ts";
import { TopologyCounts } from "../topology-counts.ts";
import { MAX_SCORE, type Scores } from "./normalize.ts";

/** The weight of a required term of pods on nodes, from the incoming pod's side. */
const HARD_WEIGHT = 1;

export function scorePodAffinity(
  subject: TermSubject,
  terms: AffinityTerms,
  nodes: readonly NodeState[],
  state: ClusterState,
  { namespaces }: Pick<ClusterObjects, "namespaces">,
): Scores {
  const near = withSelectedNamespaces(terms.preferredAffinity, namespaces);
  const far = withSelectedNamespaces(terms.preferredAntiAffinity, namespaces);
  const namespaceLabels = namespaces.get(subject.namespace)?.metadata.labels;
  const totals = new TopologyCounts();
  const own = (wanted: readonly WeightedTerm[], podClass: PodClass, sign: 1 | -1): void => {
    for (const term of wanted) if (termMatches(term, podClass)) addClass(totals, term, podClass, sign * term.weight);
  };
  const theirs = (term: AffinityTerm, podClass: PodClass, weight: number): void => {
    if (termMatches(term, subject, namespaceLabels)) addClass(totals, term, podClass, weight);
  };
  const classes = near.length > 0 || far.length > 0 ? state.allClasses() : state.classesWithTerms;
  for (const podClass of classes) {
    own(near, podClass, 1);
    own(far, podClass, -1);
    for (const term of podClass.terms.requiredAffinity) theirs(term, podClass, HARD_WEIGHT);
    for (const term of podClass.terms.preferredAffinity) theirs(term, podClass, term.weight);
    for (const term of podClass.terms.preferredAntiAffinity) theirs(term, podClass, -term.weight);
  }
  return totals.isEmpty ? undefined : betweenExtremes(nodes.map(({ labels }) => totals.sum(labels)));
}

function addClass(
  totals: TopologyCounts,
  { topologyKey }: AffinityTerm,
  { countByNode }: PodClass,
  weight: number,
): void {
  for (const [node, count] of countByNode) {
    if (node.node !== undefined) totals.add(topologyKey, node.labels, weight * count);
  }
}

function betweenExtremes(scores: readonly number[]): readonly number[] {
  const [min, max] = [Math.min(...scores), Math.max(...scores)];
  return scores.map((score) => (max > min ? Math.trunc(MAX_SCORE * ((score - min) / (max - min))) : 0));
}
