// Bindings of validating admission policies. Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { bindingDefaults, bindingPrinter } from "./policy-parts.ts";

export const validatingAdmissionPolicyBinding: SchemaOnlyKind = {
  key: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
