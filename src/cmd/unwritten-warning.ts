// Whoever creates something that only a controller not yet written would act on is told so at once, by a
// Warning header that kubectl prints.

import type { AdmissionPlugin } from "#apiserver/admission.ts";

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
  "clusterroles.rbac.authorization.k8s.io": "clusterrole-aggregation-controller",
  "resourceclaims.resource.k8s.io": "resourceclaim-controller",
  "servicecidrs.networking.k8s.io": "service-cidr-controller",
  "validatingadmissionpolicies.admissionregistration.k8s.io": "validatingadmissionpolicy-status-controller",
};

export function unwrittenWarning(unwritten: readonly string[]): AdmissionPlugin {
  const missing = new Set(unwritten);
  const warn = (resource: string, controller: string | undefined, what: string): string | undefined =>
    controller !== undefined && missing.has(controller)
      ? `${resource}: ${what} because ${controller} is not part of this cluster yet`
      : undefined;
  return {
    name: "UnwrittenControllers",
    handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "DELETE"),
    validate(attributes) {
      const { group, resource } = attributes.resource;
      const text =
        attributes.operation === "CREATE"
          ? warn(resource, actors[`${resource}.${group}`], "it is stored, but nothing will act on it")
          : warn(resource, deletionActor(group, resource), "what depends on it stays behind");
      if (text !== undefined) attributes.addWarning(text);
    },
  };
}

/** Namespaces are emptied by one controller, dependents of everything else by another. */
function deletionActor(group: string, resource: string): string | undefined {
  if (group === "" && resource === "namespaces") return "namespace-controller";
  const owners = [
    "replicasets",
    "replicationcontrollers",
    "deployments",
    "statefulsets",
    "daemonsets",
    "jobs",
    "cronjobs",
  ];
  return owners.includes(resource) ? "garbage-collector-controller" : undefined;
}
