// The terms of a pod's affinity and anti-affinity to other pods, parsed, and which pods a term matches.
// Upstream: k8s.io/kube-scheduler/framework/types.go, AffinityTerm; pkg/scheduler/framework/types.go, PodInfo.Update

import { ValueError } from "#api/errors.ts";
import type { Affinity, Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "#api/generated/types/core-v1.ts";
import { type Labels, type Selector, selectorFromObject } from "#api/label-selector.ts";
import type { Stored } from "#api/resource.ts";
import type { ClusterObjects } from "./cluster-objects.ts";

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
  readonly topologyKey: string;
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number;
}

export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedTerm[];
  readonly preferredAntiAffinity: readonly WeightedTerm[];
}

/** The pod that a term is checked against. */
export interface TermSubject {
  readonly namespace: string;
  readonly labels: Labels | undefined;
}

export const NO_TERMS: AffinityTerms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
};

/** Throws a ValueError for an invalid selector. */
export function affinityTerms({ podAffinity, podAntiAffinity }: Affinity, podNamespace: string): AffinityTerms {
  const parsed = (terms: readonly PodAffinityTerm[] = []): readonly AffinityTerm[] =>
    terms.map((term) => parseTerm(term, podNamespace));
  const weighted = (terms: readonly WeightedPodAffinityTerm[] = []): readonly WeightedTerm[] =>
    terms.map(({ weight, podAffinityTerm }) => ({ ...parseTerm(podAffinityTerm, podNamespace), weight }));
  return {
    requiredAffinity: parsed(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: parsed(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/** The terms of a pod that is already placed, or of an event's pod. Invalid terms are ignored. */
export function knownAffinityTerms({ metadata, spec }: Stored<Pod>): AffinityTerms {
  if (spec?.affinity === undefined) return NO_TERMS;
  try {
    return affinityTerms(spec.affinity, metadata.namespace);
  } catch (error) {
    if (error instanceof ValueError) return NO_TERMS; // the API server may hold selectors that older versions accepted
    throw error;
  }
}

/** Without namespaces and a namespace selector, the term applies to the pod's namespace. */
function parseTerm(term: PodAffinityTerm, podNamespace: string): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  const isOwnNamespace = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    namespaces: new Set(isOwnNamespace ? [podNamespace] : namespaces),
    namespaceSelector: selectorFromObject(namespaceSelector),
    selector: selectorFromObject(labelSelector),
    topologyKey,
  };
}

/**
 * The terms of the incoming pod with the namespaces that their selectors select now. Labels of other pods' namespaces
 * are not read again. Upstream also keeps the selector: one that matches an empty set of labels matches all namespaces.
 */
export function withSelectedNamespaces<T extends AffinityTerm>(
  terms: readonly T[],
  namespaces: ClusterObjects["namespaces"],
): readonly T[] {
  return terms.map((term) => {
    if (!term.namespaceSelector.isSelectable || term.namespaceSelector.isEmpty) return term;
    const selected = namespaces.list().filter(({ metadata }) => term.namespaceSelector.matches(metadata.labels));
    return { ...term, namespaces: new Set([...term.namespaces, ...selected.map(({ metadata }) => metadata.name)]) };
  });
}

/** namespaceLabels: the labels of the subject's namespace, if the term has not been resolved to names. */
export function termMatches(term: AffinityTerm, { namespace, labels }: TermSubject, namespaceLabels?: Labels): boolean {
  const inNamespace = term.namespaces.has(namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inNamespace && term.selector.matches(labels);
}

/** An empty list matches no pod. */
export function allTermsMatch(terms: readonly AffinityTerm[], subject: TermSubject): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, subject));
}

/** Ignores the labels of namespaces. */
export function mayMeanNamespace({ namespaces, namespaceSelector }: AffinityTerm, namespace: string): boolean {
  return namespaceSelector.isSelectable || namespaces.has(namespace);
}
