// The rules of an aggregated role. Pure.
// Upstream: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go, syncClusterRole.

import type { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { ObjectOf } from "#api/resource.ts";
import { compareText } from "#kit/order.ts";

export type ClusterRole = ObjectOf<typeof ClusterRoles>;

/**
 * The rules of all roles that a selector matches: selector by selector, roles by name, each rule once. Throws a
 * ValueError for an invalid selector.
 */
export function aggregatedRules(aggregated: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = roles
    .filter(({ metadata }) => metadata.name !== aggregated.metadata.name)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const gathered = new Map<string, PolicyRule>();
  for (const given of aggregated.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromObject(given);
    for (const { metadata, rules } of others) {
      if (!selector.matches(metadata.labels)) continue;
      for (const rule of rules ?? []) {
        const text = ruleText(rule);
        if (!gathered.has(text)) gathered.set(text, rule);
      }
    }
  }
  return [...gathered.values()];
}

const LISTS = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

/** Equal for rules that are the same. An empty list equals an absent one. */
function ruleText(rule: PolicyRule): string {
  return JSON.stringify(LISTS.map((list) => rule[list] ?? []));
}

export function areSameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => ruleText(rule) === ruleText(b[i] as PolicyRule));
}

/** The rule in the form in which it is applied, without empty lists. */
export function appliedRule(rule: PolicyRule): PolicyRule {
  const lists = LISTS.filter((list) => (rule[list] ?? []).length > 0).map((list) => [list, rule[list]] as const);
  return Object.fromEntries(lists) as unknown as PolicyRule;
}
