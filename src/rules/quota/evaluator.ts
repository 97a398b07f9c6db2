// The quota rules of one kind: the resource names that it measures, the scopes of an object, and an object's usage.
// Upstream: k8s.io/apiserver/pkg/quota/v1/interfaces.go and generic/evaluator.go

import type { ResourceQuota, ScopedResourceSelectorRequirement } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { GroupResource } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { scopesOf } from "#rules/quota/scopes.ts";
import type { Amounts } from "#rules/resource-amounts.ts";

export interface QuotaContext {
  readonly now: EpochMs;
  readonly gates: FeatureGateReader;
}

/** The part of an admission request that decides whether quota applies. */
export interface QuotaOperation {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly subresource: string;
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
}

export interface QuotaEvaluator {
  readonly resource: GroupResource;
  /** The names that this kind measures, in the given order. */
  matchingResources(names: readonly string[], ctx: QuotaContext): string[];
  /** Whether this write can change usage. */
  handles(operation: QuotaOperation, ctx: QuotaContext): boolean;
  /** Throws a ValueError for an invalid selector. Absent: no scope matches. */
  matchesScope?(scope: ScopedResourceSelectorRequirement, object: KubeObject, ctx: QuotaContext): boolean;
  /** Why the object cannot be counted: it lacks values that these resources require. */
  missing?(required: readonly string[], object: KubeObject, ctx: QuotaContext): string | undefined;
  usage(object: KubeObject, ctx: QuotaContext): Amounts;
}

/** The names that a quota limits and this kind measures, and whether the object is in all its scopes. */
export function matchesQuota(
  evaluator: QuotaEvaluator,
  quota: ResourceQuota,
  object: KubeObject,
  ctx: QuotaContext,
): boolean {
  const limited = Object.keys(quota.status?.hard ?? {});
  // Every scope is evaluated, so that an invalid selector is always reported.
  const scopes = scopesOf(quota.spec ?? {}).map((scope) => evaluator.matchesScope?.(scope, object, ctx) ?? false);
  return evaluator.matchingResources(limited, ctx).length > 0 && scopes.every((matches) => matches);
}

/** "count/deployments.apps". */
export function objectCountName({ group, resource }: GroupResource): string {
  return group === "" ? `count/${resource}` : `count/${resource}.${group}`;
}
