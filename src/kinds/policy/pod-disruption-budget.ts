// Strategy of disruption budgets. Upstream: pkg/registry/policy/poddisruptionbudget/strategy.go

import type * as policy from "#api/generated/types/policy-v1.ts";
import { hasLabelSelectorErrors } from "#kinds/parts/checks.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import { validateDisruptionBudget, validateDisruptionBudgetStatus } from "./disruption-budget-validation.ts";

const NO_PODS: policy.PodDisruptionBudgetStatus = {
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0,
};

export const disruptionBudgetStrategy: KindStrategy<policy.PodDisruptionBudget> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate: (budget) => firstGeneration({ ...budget, status: NO_PODS }),
  validate: (budget) => validateDisruptionBudget(budget, false),
  prepareForUpdate: (budget, old) => countChange(put(budget, "status", old.status), old, "spec"),
  validateUpdate: (budget, old) => validateDisruptionBudget(budget, hasLabelSelectorErrors(old.spec?.selector)),
  subresources: {
    status: {
      prepareForUpdate: (budget, old) => put(budget, "spec", old.spec),
      validateUpdate: (budget) => validateDisruptionBudgetStatus(budget),
      resetFields: [["spec"]],
    },
  },
};
