// The rules that an aggregated role gathers. Pure.
// Upstream: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go, syncClusterRole.

import { semanticEqual } from "#api/equality.ts";
import type { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { ObjectOf } from "#api/resource.ts";
import { compareText } from "#kit/order.ts";

export type ClusterRole = ObjectOf<typeof ClusterRoles>;

/**
 * Of all roles that a selector matches: selector by selector, roles in the order of their names, each rule once. Throws
 * a ValueError for a selector that is invalid.
 */
export function aggregatedRules(aggregated: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = roles
    .filter(({ metadata }) => metadata.name !== aggregated.metadata.name)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const gathered: PolicyRule[] = [];
  for (const given of aggregated.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromObject(given);
    for (const { metadata, rules } of others) {
      if (!selector.matches(metadata.labels)) continue;
      for (const rule of rules ?? []) {
        if (!gathered.some((known) => isSameRule(known, rule))) gathered.push(rule);
      }
    }
  }
  return gathered;
}

const LISTS = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

/** A list that is empty is one that is absent. */
function isSameRule(a: PolicyRule, b: PolicyRule): boolean {
  return LISTS.every((list) => semanticEqual(a[list] ?? [], b[list] ?? []));
}

export function areSameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => isSameRule(rule, b[i] as PolicyRule));
}

/** The rule as it is applied: the lists that are not empty. */
export function appliedRule(rule: PolicyRule): PolicyRule {
  const lists = LISTS.filter((list) => (rule[list] ?? []).length > 0).map((list) => [list, rule[list]] as const);
  return Object.fromEntries(lists) as unknown as PolicyRule;
}
