// Mutating admission policies. Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { policyHooks } from "./parameter-access.ts";
import { paramKind, policyDefaults } from "./policy-parts.ts";
import { validateMutatingPolicy } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";

export const mutatingAdmissionPolicy: Kind<admission.MutatingAdmissionPolicy> = {
  key: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateMutatingPolicy }),
  hooks: policyHooks("MutatingAdmissionPolicy"),
  writeWarning: NOT_ENFORCED,
  deprecationWarning: deprecatedVersions("admissionregistration.k8s.io", "MutatingAdmissionPolicy", {
    v1alpha1: [35, 38],
  }),
  defaults: policyDefaults,
  printer: printer<admission.MutatingAdmissionPolicy>("Name|Mutations:integer|ParamKind|Age", (object, now) => [
    nameOf(object),
    (object.spec?.mutations ?? []).length,
    paramKind(object.spec?.paramKind),
    ageOf(object, now),
  ]),
};
