// Quota of any other kind: the number of objects.
// Upstream: k8s.io/apiserver/pkg/quota/v1/generic/evaluator.go, NewObjectCountEvaluator

import { quantityOf } from "#api/quantity.ts";
import type { GroupResource } from "#api/status-error.ts";
import { objectCountName, type QuotaEvaluator } from "#rules/quota/evaluator.ts";

/** The names that count, each once and in order. */
export function countedNames(names: readonly string[], counted: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => counted.includes(name)).sort();
}

/** alias: the older name under which the kind was counted. */
export function objectCountQuota(resource: GroupResource, alias?: string): QuotaEvaluator {
  const counted = [objectCountName(resource), ...(alias === undefined ? [] : [alias])];
  return {
    resource,
    matchingResources: (names) => countedNames(names, counted),
    handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
    usage: () => new Map(counted.map((name) => [name, quantityOf(1)])),
  };
}
