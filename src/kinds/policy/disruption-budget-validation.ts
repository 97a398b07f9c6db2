// Disruption budgets, and metav1 conditions. Upstream: pkg/apis/policy/validation; apimachinery
// pkg/apis/meta/v1/validation, ValidateConditions

import * as field from "#api/field-error.ts";
import type * as policy from "#api/generated/types/policy-v1.ts";
import { byteLength } from "#api/go-text.ts";
import type { Condition } from "#api/meta.ts";
import { regexMessage } from "#api/names.ts";
import { type Errors, labelSelector, nonNegative, oneOf, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { atMost100Percent, intOrPercent } from "#kinds/pod-spec/workload-template.ts";

const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

/** Upstream leaves a budget's metadata to the generic checks. */
export function validateDisruptionBudget(
  { spec = {} }: policy.PodDisruptionBudget,
  allowInvalidValues: boolean,
): field.FieldError[] {
  const errors: Errors = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const value = internalForm("PodDisruptionBudgetSpec", spec);
    errors.push(field.invalid(SPEC, value, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const part of ["minAvailable", "maxUnavailable"] as const) {
    const value = spec[part];
    if (value === undefined) continue;
    intOrPercent(errors, value, SPEC.child(part));
    atMost100Percent(errors, value, SPEC.child(part));
  }
  labelSelector(errors, spec.selector, SPEC.child("selector"), allowInvalidValues);
  if (spec.unhealthyPodEvictionPolicy !== undefined) {
    const path = SPEC.child("unhealthyPodEvictionPolicy");
    oneOf(errors, spec.unhealthyPodEvictionPolicy, path, ["AlwaysAllow", "IfHealthyBudget"]);
  }
  return errors;
}

export function validateDisruptionBudgetStatus({ status }: policy.PodDisruptionBudget): field.FieldError[] {
  const errors: Errors = [];
  conditions(errors, status?.conditions ?? [], STATUS.child("conditions"));
  for (const part of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
    nonNegative(errors, status?.[part], STATUS.child(part));
  }
  return errors;
}

const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonRegex = new RegExp(`^${REASON}$`);
const REASON_MESSAGE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const REASON_EXAMPLES = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
const REASON_BYTES_MAX = 1024;
const MESSAGE_BYTES_MAX = 32 * 1024;

export function conditions(errors: Errors, list: readonly Condition[], path: Path): void {
  const seen = new Set<string>();
  list.forEach(({ type = "", status, observedGeneration = 0, lastTransitionTime, reason = "", message = "" }, i) => {
    const at = path.index(i);
    if (seen.has(type)) errors.push(field.duplicate(at.child("type"), type));
    seen.add(type);
    qualifiedName(errors, type, at.child("type"));
    oneOf(errors, status, at.child("status"), ["False", "True", "Unknown"]);
    if (observedGeneration < 0) {
      const detail = "must be greater than or equal to zero";
      errors.push(field.invalid(at.child("observedGeneration"), observedGeneration, detail));
    }
    if (!lastTransitionTime) errors.push(field.required(at.child("lastTransitionTime"), ""));
    if (reason === "") errors.push(field.required(at.child("reason"), ""));
    else if (!reasonRegex.test(reason)) {
      const detail = regexMessage(REASON_MESSAGE, REASON, ...REASON_EXAMPLES);
      errors.push(field.invalid(at.child("reason"), reason, detail));
    }
    if (byteLength(reason) > REASON_BYTES_MAX) errors.push(field.tooLong(at.child("reason"), REASON_BYTES_MAX));
    if (byteLength(message) > MESSAGE_BYTES_MAX) errors.push(field.tooLong(at.child("message"), MESSAGE_BYTES_MAX));
  });
}
