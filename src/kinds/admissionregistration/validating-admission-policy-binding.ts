// Bindings of validating admission policies. Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { bindingHooks } from "./parameter-access.ts";
import { bindingDefaults, bindingPrinter } from "./policy-parts.ts";
import { validateValidatingBinding } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";

export const validatingAdmissionPolicyBinding: Kind<admission.ValidatingAdmissionPolicyBinding> = {
  key: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateValidatingBinding }),
  hooks: bindingHooks(
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    (user, verb) => `user ${user} does not have "${verb}" permission on the object referenced by paramRef`,
  ),
  writeWarning: NOT_ENFORCED,
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
