// Pod disruption budgets. Upstream: pkg/registry/policy/poddisruptionbudget/strategy.go; pkg/apis/policy/validation

import * as field from "#api/field-error.ts";
import type * as policy from "#api/generated/types/policy-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, hasLabelSelectorErrors, labelSelector, nonNegative, oneOf } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { atMost100Percent, intOrPercent } from "#kinds/pod-spec/workload-template.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

/** As upstream, the metadata gets only the generic checks. */
function validateDisruptionBudget(
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

function validateDisruptionBudgetStatus({ status }: policy.PodDisruptionBudget): field.FieldError[] {
  const errors: Errors = [];
  conditions(errors, status?.conditions ?? [], STATUS.child("conditions"));
  for (const part of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
    nonNegative(errors, status?.[part], STATUS.child(part));
  }
  return errors;
}

const NO_PODS: policy.PodDisruptionBudgetStatus = {
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0,
};

const strategy = kindStrategy<policy.PodDisruptionBudget>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (budget) => firstGeneration({ ...budget, status: NO_PODS }),
  validate: (budget) => validateDisruptionBudget(budget, false),
  prepareForUpdate: (budget, old) => countChange(put(budget, "status", old.status), old, "spec"),
  validateUpdate: (budget, old) => validateDisruptionBudget(budget, hasLabelSelectorErrors(old.spec?.selector)),
  subresources: {
    status: statusStrategy((budget) => validateDisruptionBudgetStatus(budget)),
  },
});

export const podDisruptionBudget: Kind<policy.PodDisruptionBudget> = {
  key: "poddisruptionbudgets.policy",
  strategy,
  printer: printer<policy.PodDisruptionBudget>(
    "Name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
    (budget, now) => [
      nameOf(budget),
      String(budget.spec?.minAvailable ?? "N/A"),
      String(budget.spec?.maxUnavailable ?? "N/A"),
      budget.status?.disruptionsAllowed ?? 0,
      ageOf(budget, now),
    ],
  ),
};
