// Whoever creates or deletes something that only a part not yet written would act on is told so at once, by a
// Warning header that kubectl prints.

import type { DeleteOptions } from "#api/meta.ts";
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

/** Kinds whose objects own others. */
const owners = [
  "replicasets",
  "replicationcontrollers",
  "deployments",
  "statefulsets",
  "daemonsets",
  "jobs",
  "cronjobs",
];

export function unwrittenWarning(unwritten: readonly string[]): AdmissionPlugin {
  const missing = new Set([...unwritten, ...Object.values(serverParts)]);
  return {
    name: "UnwrittenControllers",
    handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "DELETE"),
    validate(attributes) {
      const { group, resource } = attributes.resource;
      const kind = `${resource}.${group}`;
      const actor = attributes.operation === "CREATE" ? (actors[kind] ?? serverParts[kind]) : deletionActor(attributes);
      if (actor === undefined || !missing.has(actor)) return;
      const what = attributes.operation === "CREATE" ? standing(kind) : consequence(attributes);
      attributes.addWarning(`${resource}: ${what} because ${actor} is not part of this cluster yet`);
    },
  };
}

function standing(kind: string): string {
  return kind === "services." ? "it has an address, but no endpoints" : "it is stored, but nothing will act on it";
}

/** Namespaces are emptied by one controller, dependents of everything else by another. */
function deletionActor(attributes: AdmissionAttributes): string | undefined {
  if (isNamespace(attributes)) return "namespace-controller";
  return isHeldBack(attributes) || owners.includes(attributes.resource.resource)
    ? "garbage-collector-controller"
    : undefined;
}

function consequence(attributes: AdmissionAttributes): string {
  if (isNamespace(attributes)) return "it stays Terminating with all that is in it";
  return isHeldBack(attributes) ? "it stays, marked as deleted," : "what depends on it stays behind";
}

function isNamespace({ resource: { group, resource } }: AdmissionAttributes): boolean {
  return group === "" && resource === "namespaces";
}

/** Such a deletion waits for a finalizer, which nobody takes away. */
function isHeldBack({ options }: AdmissionAttributes): boolean {
  const { propagationPolicy, orphanDependents } = options as DeleteOptions;
  return propagationPolicy === "Foreground" || propagationPolicy === "Orphan" || orphanDependents === true;
}
