// Bindings of mutating admission policies. Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicybinding/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { bindingDefaults, bindingPrinter } from "./policy-parts.ts";

export const mutatingAdmissionPolicyBinding: SchemaOnlyKind = {
  key: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
