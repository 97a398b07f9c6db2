// New pod groups get the finalizer that holds them while pods run, and name only templates of living workloads.
// Upstream: plugin/pkg/admission/scheduling/podgroupprotection, plugin/pkg/admission/podgroup

import type { PodGroup, Workload } from "#api/generated/types/scheduling-v1alpha2.ts";
import type { KubeObject } from "#api/object.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import { keyOf, type ServerCore } from "../core.ts";

const GROUP = "scheduling.k8s.io";
const FINALIZER = "scheduling.k8s.io/podgroup-protection";

export function podGroupProtection(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PodGroupProtection",
    handles: (attributes) => isNewPodGroup(core(), attributes),
    admit(attributes) {
      const object = attributes.object as KubeObject;
      const known = object.metadata?.finalizers ?? [];
      if (known.includes(FINALIZER)) return;
      attributes.object = { ...object, metadata: { ...object.metadata, finalizers: [...known, FINALIZER] } };
    },
  };
}

export function podGroupWorkloadExists(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PodGroupWorkloadExists",
    handles: (attributes) => isNewPodGroup(core(), attributes),
    validate(attributes) {
      const reference = (attributes.object as PodGroup).spec?.podGroupTemplateRef?.workload;
      if (reference === undefined) return;
      const { workloadName, podGroupTemplateName } = reference;
      const refuse = (why: string) => admissionForbidden(attributes, `PodGroup rejected: ${why}`);
      const workload = findWorkload(core(), attributes.namespace, workloadName);
      if (workload === undefined) throw refuse(`Workload "${workloadName}" not found`);
      if (workload.metadata?.deletionTimestamp !== undefined) {
        throw refuse(`Workload "${workloadName}" is being deleted`);
      }
      if (!workload.spec.podGroupTemplates.some(({ name }) => name === podGroupTemplateName)) {
        throw refuse(`PodGroupTemplate "${podGroupTemplateName}" not found in Workload "${workloadName}"`);
      }
    },
  };
}

function isNewPodGroup(core: ServerCore, { resource, subresource, operation }: AdmissionAttributes): boolean {
  const { group, resource: name } = resource;
  const isPodGroup = group === GROUP && name === "podgroups" && subresource === "";
  return isPodGroup && operation === "CREATE" && core.gates.isEnabled("GenericWorkload");
}

function findWorkload(core: ServerCore, namespace: string, name: string): Workload | undefined {
  const row = core.registry.row(`workloads.${GROUP}`);
  return row && (core.tableOf(row).get(keyOf(row, namespace, name))?.object as Workload | undefined);
}
