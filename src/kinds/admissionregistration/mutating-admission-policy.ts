// Mutating admission policies. Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { paramKind, policyDefaults } from "./policy-parts.ts";

export const mutatingAdmissionPolicy: SchemaOnlyKind<admission.MutatingAdmissionPolicy> = {
  key: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults: policyDefaults,
  printer: printer<admission.MutatingAdmissionPolicy>("Name|Mutations:integer|ParamKind|Age", (object, now) => [
    nameOf(object),
    (object.spec?.mutations ?? []).length,
    paramKind(object.spec?.paramKind),
    ageOf(object, now),
  ]),
};
