// Conditions of the common form. Upstream: k8s.io/apimachinery/pkg/api/meta/conditions.go

import type { Condition } from "#api/meta.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/**
 * The list with this condition in the place of the one of its type. The transition time is now, unless the condition's
 * status is unchanged. Upstream: SetStatusCondition
 */
export function withStatusCondition(
  conditions: readonly Condition[],
  given: Omit<Condition, "lastTransitionTime">,
  now: EpochMs,
): readonly Condition[] {
  const index = conditions.findIndex(({ type }) => type === given.type);
  const old = conditions[index];
  if (old === undefined) return [...conditions, { ...given, lastTransitionTime: formatTime(now) }];
  const lastTransitionTime = old.status === given.status ? old.lastTransitionTime : formatTime(now);
  return conditions.with(index, { ...given, lastTransitionTime });
}
