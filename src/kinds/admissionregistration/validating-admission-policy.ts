// Validating admission policies. Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go

import * as field from "#api/field-error.ts";
import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { jsonPathProblem } from "#kinds/parts/json-path-syntax.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import type { UpdateStrategy } from "#kinds/strategy.ts";
import { policyHooks } from "./parameter-access.ts";
import { paramKind, policyDefaults } from "./policy-parts.ts";
import { validateValidatingPolicy } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy, reservedWarnings } from "./registration-strategy.ts";

const STATUS = field.newPath("status");

function validateStatus({ status = {} }: admission.ValidatingAdmissionPolicy): Errors {
  const errors: Errors = [];
  status.typeChecking?.expressionWarnings?.forEach(({ fieldRef = "", warning = "" }, i) => {
    const path = STATUS.child("typeChecking", "expressionWarnings").index(i);
    if (warning === "") errors.push(field.required(path.child("warning"), ""));
    const ref = fieldRef.trim();
    const problem = ref === "" ? undefined : jsonPathProblem(ref);
    if (ref === "") errors.push(field.required(path.child("fieldRef"), ""));
    else if (problem !== undefined) {
      errors.push(field.invalid(path.child("fieldRef"), ref, `invalid JSONPath: ${problem}`));
    }
  });
  conditions(errors, status.conditions ?? [], STATUS.child("conditions"));
  return errors;
}

const status: UpdateStrategy<admission.ValidatingAdmissionPolicy> = {
  prepareForUpdate: (policy, old) => ({
    ...put(policy, "spec", old.spec),
    metadata: resetMetaForStatus(policy.metadata, old.metadata),
  }),
  validateUpdate: validateStatus,
  warningsOnUpdate: reservedWarnings,
  resetFields: [["spec"], ["metadata"]],
};

export const validatingAdmissionPolicy: Kind<admission.ValidatingAdmissionPolicy> = {
  key: "validatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateValidatingPolicy, subresources: { status } }),
  hooks: policyHooks("ValidatingAdmissionPolicy"),
  writeWarning: NOT_ENFORCED,
  defaults: policyDefaults,
  printer: printer<admission.ValidatingAdmissionPolicy>("Name|Validations:integer|ParamKind|Age", (object, now) => [
    nameOf(object),
    (object.spec?.validations ?? []).length,
    paramKind(object.spec?.paramKind),
    ageOf(object, now),
  ]),
};
