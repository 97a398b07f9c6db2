// New pod groups get a protection finalizer, and may name only templates of existing workloads. The parallelism of a
// gang-scheduled Job is immutable.
// Upstream: plugin/pkg/admission/scheduling/podgroupprotection, plugin/pkg/admission/podgroup, plugin/pkg/admission/job

import type { Job } from "#api/generated/types/batch-v1.ts";
import type { PodGroup, Workload } from "#api/generated/types/scheduling-v1alpha2.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { StoredObject } from "#kinds/hooks.ts";
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

export function jobValidation(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "JobValidation",
    handles: ({ operation, resource, subresource }) =>
      operation === "UPDATE" && subresource === "" && resource.group === "batch" && resource.resource === "jobs",
    validate(attributes) {
      // Pod groups exist only with this gate, on which the plugin's gate depends.
      if (!core().gates.isEnabled("GenericWorkload")) return;
      const old = attributes.oldObject as Job;
      if ((attributes.object as Job).spec?.parallelism === old.spec?.parallelism) return;
      const gang = podGroupsOf(core(), old, attributes.namespace).find(({ spec }) => spec?.schedulingPolicy.gang);
      if (gang === undefined) return;
      const what = `gang-scheduled PodGroup ${goQuote(gang.metadata?.name ?? "")}`;
      throw admissionForbidden(attributes, `cannot change parallelism for a Job referencing ${what}`);
    },
  };
}

/** The group that the template names, or the groups that the Job controls. */
function podGroupsOf(core: ServerCore, job: Job, namespace: string): readonly PodGroup[] {
  const groups = core.kindServer.objects(`podgroups.${GROUP}`);
  const named = job.spec?.template.spec?.schedulingGroup?.podGroupName;
  if (named !== undefined) {
    const group = groups.get(namespace, named)?.object as PodGroup | undefined;
    return group === undefined ? [] : [group];
  }
  const isControlled = ({ object }: StoredObject): boolean => getControllerOf(object)?.uid === job.metadata?.uid;
  return [...groups.list(namespace)].filter(isControlled).map(({ object }) => object as PodGroup);
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
