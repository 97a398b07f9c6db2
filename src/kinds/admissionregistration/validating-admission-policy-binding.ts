// Bindings of validating admission policies. Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { bindingDefaults, bindingPrinter } from "./policy-parts.ts";
import { validateValidatingBinding } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";

export const validatingAdmissionPolicyBinding: Kind<admission.ValidatingAdmissionPolicyBinding> = {
  key: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateValidatingBinding }),
  writeWarning: NOT_ENFORCED,
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
