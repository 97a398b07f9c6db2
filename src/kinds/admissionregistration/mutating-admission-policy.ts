// Mutating admission policies. Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { paramKind, policyDefaults } from "./policy-parts.ts";
import { validateMutatingPolicy } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";

export const mutatingAdmissionPolicy: Kind<admission.MutatingAdmissionPolicy> = {
  key: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateMutatingPolicy }),
  writeWarning: NOT_ENFORCED,
  deprecationWarning: {
    v1alpha1:
      "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy is deprecated in v1.35+, unavailable in v1.38+",
  },
  defaults: policyDefaults,
  printer: printer<admission.MutatingAdmissionPolicy>("Name|Mutations:integer|ParamKind|Age", (object, now) => [
    nameOf(object),
    (object.spec?.mutations ?? []).length,
    paramKind(object.spec?.paramKind),
    ageOf(object, now),
  ]),
};
