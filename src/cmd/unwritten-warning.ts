// Whoever creates or deletes something that only a part not yet written would act on is told so at once, by a
// Warning header that kubectl prints.

import type { AdmissionAttributes, AdmissionPlugin } from "#apiserver/admission.ts";

/** The controller that gives each kind its meaning, by "resource.group". */
const actors: Readonly<Record<string, string>> = {
  "deployments.apps": "deployment-controller",
  "statefulsets.apps": "statefulset-controller",
  "daemonsets.apps": "daemonset-controller",
  "jobs.batch": "job-controller",
  "cronjobs.batch": "cronjob-controller",
  "horizontalpodautoscalers.autoscaling": "horizontal-pod-autoscaler-controller",
  "poddisruptionbudgets.policy": "disruption-controller",
  "services.": "endpointslice-controller",
  "endpoints.": "endpointslice-mirroring-controller",
  "persistentvolumeclaims.": "persistentvolume-binder-controller",
  "persistentvolumes.": "persistentvolume-binder-controller",
  "volumeattachments.storage.k8s.io": "persistentvolume-attach-detach-controller",
  "resourcequotas.": "resourcequota-controller",
  "certificatesigningrequests.certificates.k8s.io": "certificatesigningrequest-signing-controller",
  "resourceclaims.resource.k8s.io": "resourceclaim-controller",
  "servicecidrs.networking.k8s.io": "service-cidr-controller",
};

const RBAC = "authorization by roles";
const WEBHOOKS = "admission by webhooks";
const POLICIES = "admission by policies";
/** What the API server itself would do with a kind. */
const serverParts: Readonly<Record<string, string>> = {
  "roles.rbac.authorization.k8s.io": RBAC,
  "rolebindings.rbac.authorization.k8s.io": RBAC,
  "clusterroles.rbac.authorization.k8s.io": RBAC,
  "clusterrolebindings.rbac.authorization.k8s.io": RBAC,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": POLICIES,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": POLICIES,
  "validatingadmissionpolicies.admissionregistration.k8s.io": POLICIES,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": POLICIES,
  "apiservices.apiregistration.k8s.io": "the aggregation of other API servers",
};

export function unwrittenWarning(unwritten: readonly string[]): AdmissionPlugin {
  const missing = new Set([...unwritten, ...Object.values(serverParts)]);
  return {
    name: "UnwrittenControllers",
    handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "DELETE"),
    validate(attributes) {
      const { group, resource } = attributes.resource;
      const kind = `${resource}.${group}`;
      const isDeletion = attributes.operation === "DELETE";
      if (isDeletion && !isNamespace(attributes)) return;
      const actor = isDeletion ? "namespace-controller" : (actors[kind] ?? serverParts[kind]);
      if (actor === undefined || !missing.has(actor)) return;
      const what = isDeletion ? "it stays Terminating with all that is in it" : standing(kind);
      attributes.addWarning(`${resource}: ${what} because ${actor} is not part of this cluster yet`);
    },
  };
}

function standing(kind: string): string {
  return kind === "services." ? "it has an address, but no endpoints" : "it is stored, but nothing will act on it";
}

function isNamespace({ resource: { group, resource } }: AdmissionAttributes): boolean {
  return group === "" && resource === "namespaces";
}
