// The scopes of quotas. Upstream: pkg/quota/v1/evaluator/core/pods.go and
// pkg/apis/core/v1/helper, ScopedResourceSelectorRequirementsAsSelector

import { ValueError } from "#api/errors.ts";
import type {
  Pod,
  PodAffinityTerm,
  ScopedResourceSelectorRequirement,
  ScopeSelector,
} from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { newRequirement, Selector, type SelectorOperator } from "#api/label-selector.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { podQos } from "#rules/pod-qos.ts";

export type ScopeRequirement = ScopedResourceSelectorRequirement;

export interface Scoped {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: ScopeSelector;
}

/** All requirements for an object: plain scopes require existence. */
export function scopesOf({ scopes = [], scopeSelector }: Scoped): ScopeRequirement[] {
  const plain = scopes.map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])];
}

const OPERATORS: ReadonlyMap<string, SelectorOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Whether any of these names satisfies the requirement; without names, whether their absence does. */
export function namesMatchScope(scope: ScopeRequirement, names: readonly string[]): boolean {
  if (scope.operator === "Exists") return names.length > 0;
  const selector = scopeSelector(scope);
  if (names.length === 0) return selector.matches({});
  return names.some((name) => selector.matches({ [scope.scopeName]: name }));
}

function scopeSelector({ scopeName, operator, values = [] }: ScopeRequirement): Selector {
  const selectorOperator = OPERATORS.get(operator);
  try {
    if (selectorOperator === undefined) {
      throw new ValueError("labelSelector", `${goQuote(operator)} is not a valid scope selector operator`);
    }
    return new Selector([newRequirement(scopeName, selectorOperator, values)]);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ValueError("labelSelector", `failed to parse and convert selector: ${error.message}`, { cause: error });
  }
}

export function podMatchesScope(scope: ScopeRequirement, pod: Pod, gates: FeatureGateReader): boolean {
  const isBestEffort = (): boolean =>
    podQos(pod, { podLevelResources: gates.isEnabled("PodLevelResources") }) === "BestEffort";
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return isBestEffort();
    case "NotBestEffort":
      return !isBestEffort();
    case "PriorityClass":
      return namesMatchScope(scope, pod.spec?.priorityClassName ? [pod.spec.priorityClassName] : []);
    case "CrossNamespacePodAffinity":
      return usesCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

/** The scope Terminating selects pods with a deadline, not deleted pods. */
export function hasDeadline(pod: Pod): boolean {
  return (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function usesCrossNamespaceAffinity(pod: Pod): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution?.map((term) => term.podAffinityTerm);
    const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
    return [...(required ?? []), ...(preferred ?? [])].some(reachesOtherNamespaces);
  });
}

function reachesOtherNamespaces(term: PodAffinityTerm): boolean {
  return (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined;
}
