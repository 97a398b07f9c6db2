// Bindings of mutating admission policies. Upstream: pkg/registry/admissionregistration/mutatingadmissionpolicybinding/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { bindingHooks } from "./parameter-access.ts";
import { bindingDefaults, bindingPrinter } from "./policy-parts.ts";
import { validateMutatingBinding } from "./policy-validation.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";

export const mutatingAdmissionPolicyBinding: Kind<admission.MutatingAdmissionPolicyBinding> = {
  key: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: registrationStrategy({ counted: "spec", validate: validateMutatingBinding }),
  hooks: bindingHooks(
    "MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicies.admissionregistration.k8s.io",
    // Upstream swaps the user and the verb in this message.
    (user, verb) => `user ${verb} does not have "${user}" permission on the object referenced by paramRef`,
  ),
  writeWarning: NOT_ENFORCED,
  deprecationWarning: deprecatedVersions("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", {
    v1alpha1: [35, 38],
  }),
  defaults: bindingDefaults,
  printer: bindingPrinter,
};
