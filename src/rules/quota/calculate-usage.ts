// Computes a namespace's usage of the resources that a quota limits.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go, CalculateUsage; generic/evaluator.go, CalculateUsageStats

import { ValueError } from "#api/errors.ts";
import type { KubeObject } from "#api/object.ts";
import { quantityOf } from "#api/quantity.ts";
import type { GroupResource } from "#api/status-error.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import type { QuotaRegistry } from "#rules/quota/registry.ts";
import { type Scoped, scopesOf } from "#rules/quota/scopes.ts";
import { addUsage, maskUsage } from "#rules/quota/usage.ts";
import type { Amounts } from "#rules/resource-amounts.ts";

/** The objects of one kind in the namespace; throws while they are unknown. */
export type ListObjects = (resource: GroupResource) => Iterable<KubeObject>;

export interface CalculatedUsage {
  /** Without the resources for which an evaluator failed. */
  readonly used: Amounts;
  readonly errors: readonly Error[];
}

export function calculateUsage(
  quota: Scoped & { readonly hard: Iterable<string> },
  registry: QuotaRegistry,
  list: ListObjects,
  ctx: QuotaContext,
): CalculatedUsage {
  const hard = [...quota.hard];
  const errors: Error[] = [];
  const failed = new Set<string>();
  const measured = new Set<string>();
  let used: Amounts = new Map();
  for (const evaluator of registry.list()) {
    const names = evaluator.matchingResources(hard, ctx).filter((name) => !failed.has(name));
    if (names.length === 0) continue;
    for (const name of names) measured.add(name);
    try {
      used = addUsage(used, usageOfKind(evaluator, names, quota, list, ctx));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      errors.push(error);
      for (const name of names) failed.add(name);
    }
  }
  return {
    used: maskUsage(
      used,
      [...measured].filter((name) => !failed.has(name)),
    ),
    errors,
  };
}

function usageOfKind(
  evaluator: QuotaEvaluator,
  names: readonly string[],
  quota: Scoped,
  list: ListObjects,
  ctx: QuotaContext,
): Amounts {
  const scopes = scopesOf(quota);
  let used: Amounts = new Map(names.map((name) => [name, quantityOf(0)]));
  for (const object of objectsOf(evaluator, list)) {
    let isInScope: boolean;
    try {
      isInScope = scopes
        .map((scope) => evaluator.matchesScope?.(scope, object, ctx) ?? false)
        .every((matches) => matches);
    } catch (error) {
      // Upstream ends the count at an invalid scope, without an error.
      if (error instanceof ValueError) return used;
      throw error;
    }
    if (isInScope) used = addUsage(used, evaluator.usage(object, ctx));
  }
  return used;
}

function objectsOf(evaluator: QuotaEvaluator, list: ListObjects): Iterable<KubeObject> {
  try {
    return list(evaluator.resource);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`failed to list content: ${why}`, { cause: error });
  }
}
