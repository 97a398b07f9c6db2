// The status of a disruption budget: the controller and the eviction of pods write it.
// Upstream: k8s.io/component-helpers/apps/poddisruptionbudget/helpers.go

import { withStatusCondition } from "#api/conditions.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "#api/generated/types/policy-v1.ts";
import type { EpochMs } from "#base/clock.ts";

export const DISRUPTION_ALLOWED = "DisruptionAllowed";

/** The status with the condition that matches disruptionsAllowed. Upstream: UpdateDisruptionAllowedCondition */
export function withDisruptionAllowed(status: PodDisruptionBudgetStatus, now: EpochMs): PodDisruptionBudgetStatus {
  const { conditions = [], observedGeneration = 0 } = status;
  const condition = {
    type: DISRUPTION_ALLOWED,
    ...expectedCondition(status),
    message: "",
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
  };
  return { ...status, conditions: withStatusCondition(conditions, condition, now) };
}

/** Upstream: ConditionsAreUpToDate */
export function isConditionCurrent({ metadata, status = {} }: PodDisruptionBudget): boolean {
  const condition = status.conditions?.find(({ type }) => type === DISRUPTION_ALLOWED);
  if (condition === undefined || (status.observedGeneration ?? 0) !== (metadata?.generation ?? 0)) return false;
  const expected = expectedCondition(status);
  return condition.status === expected.status && condition.reason === expected.reason;
}

function expectedCondition({ disruptionsAllowed = 0 }: PodDisruptionBudgetStatus) {
  return disruptionsAllowed > 0
    ? { status: "True", reason: "SufficientPods" }
    : { status: "False", reason: "InsufficientPods" };
}
