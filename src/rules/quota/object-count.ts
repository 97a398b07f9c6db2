// Quota of any other kind: how many objects there are.
// Upstream: k8s.io/apiserver/pkg/quota/v1/generic/evaluator.go, NewObjectCountEvaluator

import { quantityOf } from "#api/quantity.ts";
import type { GroupResource } from "#api/status-error.ts";
import { objectCountName, type QuotaEvaluator } from "#rules/quota/evaluator.ts";

/** Each name once and in order, if it is among those that count. */
export function countedNames(names: readonly string[], counted: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => counted.includes(name)).sort();
}

/** An alias is the name under which the kind was counted before all kinds could be. */
export function objectCountQuota(resource: GroupResource, alias?: string): QuotaEvaluator {
  const counted = [objectCountName(resource), ...(alias === undefined ? [] : [alias])];
  return {
    resource,
    matchingResources: (names) => countedNames(names, counted),
    handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
    usage: () => new Map(counted.map((name) => [name, quantityOf(1)])),
  };
}
