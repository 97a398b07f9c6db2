// The status of a quota: its limits, and the namespace's usage of them.
// Upstream: pkg/controller/resourcequota/resource_quota_controller.go, syncResourceQuota, addQuota.

import type { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { maskUsage, usageEquals } from "#rules/quota/usage.ts";
import { type ReadonlyAmounts, readAmounts, type WireAmounts, writeAmounts } from "#rules/resource-amounts.ts";

export type StoredQuota = ObjectOf<typeof ResourceQuotas>;
export type QuotaStatus = NonNullable<StoredQuota["status"]>;

/** By value: "1" and "1000m" are the same limit. */
export function hasSameLimits(a: WireAmounts | undefined, b: WireAmounts | undefined): boolean {
  return usageEquals(readAmounts(a), readAmounts(b));
}

/** True if the status does not show the limits yet, or lacks the usage of a measurable limit. */
export function lacksUsage(
  { spec, status }: StoredQuota,
  evaluators: readonly QuotaEvaluator[],
  context: QuotaContext,
): boolean {
  if (!hasSameLimits(spec?.hard, status?.hard)) return true;
  const unused = Object.keys(status?.hard ?? {}).filter((name) => status?.used?.[name] === undefined);
  return unused.some((name) => evaluators.some((evaluator) => evaluator.matchingResources([name], context).length > 0));
}

/** The status to write, or undefined when nothing changed. Usage that could not be computed stays unchanged. */
export function newStatus({ spec, status }: StoredQuota, counted: ReadonlyAmounts): QuotaStatus | undefined {
  const hard = readAmounts(spec?.hard);
  const before = readAmounts(status?.used);
  const used = maskUsage(new Map([...before, ...counted]), hard.keys());
  const isComplete = status?.hard !== undefined && status.used !== undefined;
  if (isComplete && hasSameLimits(spec?.hard, status.hard) && usageEquals(used, before)) return undefined;
  return { hard: writeAmounts(hard), used: writeAmounts(used) };
}
