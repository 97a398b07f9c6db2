// The embedded API server stores objects for parts that it lacks: webhooks, policies. Creating one is answered with a
// Warning header, which kubectl prints.

import type { AdmissionPlugin } from "#apiserver/admission.ts";

const WEBHOOKS = "admission by webhooks";
const POLICIES = "admission by policies";
/** The missing part for each kind, by "resource.group". */
const serverParts: Readonly<Record<string, string>> = {
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": POLICIES,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": POLICIES,
  "validatingadmissionpolicies.admissionregistration.k8s.io": POLICIES,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": POLICIES,
};

export const serverPartsWarning: AdmissionPlugin = {
  name: "MissingServerParts",
  handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
  validate(attributes) {
    const { group, resource } = attributes.resource;
    const part = serverParts[`${resource}.${group}`];
    if (part === undefined) return;
    attributes.addWarning(
      `${resource}: it is stored, but has no effect, because this cluster does not include ${part} yet`,
    );
  },
};
