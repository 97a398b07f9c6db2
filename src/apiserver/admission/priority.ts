// Resolves a pod's priority from its class or the default class. There is at most one default class.
// Upstream: plugin/pkg/admission/priority/admission.go

import type { Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import type { PriorityClass } from "#api/generated/types/scheduling-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const SCHEDULING = "scheduling.k8s.io";
const PREEMPT_LOWER = "PreemptLowerPriority";

interface Rank {
  readonly className: string;
  readonly priority: number;
  readonly preemptionPolicy: string | undefined;
}

export function priority(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "Priority",
    handles: ({ subresource, operation }) => subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
    admit(attributes) {
      const { group, resource } = attributes.resource;
      if (group === "" && resource === "pods") {
        attributes.object = attributes.operation === "CREATE" ? rankPod(core(), attributes) : keepRank(attributes);
      } else if (group === SCHEDULING && resource === "podgroups" && attributes.operation === "CREATE") {
        if (core().gates.isEnabled("WorkloadAwarePreemption")) attributes.object = rankPodGroup(core(), attributes);
      }
    },
    validate(attributes) {
      const { group, resource } = attributes.resource;
      if (group === SCHEDULING && resource === "priorityclasses") refuseSecondDefault(core(), attributes);
    },
  };
}

function rankPod(core: ServerCore, attributes: AdmissionAttributes): KubeObject {
  const pod = attributes.object as Pod;
  const spec: PodSpec = pod.spec ?? { containers: [] };
  const rank = rankOf(core, attributes, spec.priorityClassName ?? "");
  if (spec.priority !== undefined && spec.priority !== rank.priority) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${rank.priority} from the given PriorityClass name`;
    throw admissionForbidden(attributes, why);
  }
  const { preemptionPolicy } = rank;
  if (
    preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== preemptionPolicy
  ) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`;
    throw admissionForbidden(attributes, why);
  }
  const ranked: PodSpec = {
    ...spec,
    ...(rank.className === "" ? {} : { priorityClassName: rank.className }),
    priority: rank.priority,
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
  return { ...pod, spec: ranked } as KubeObject;
}

/** An update that omits the priority keeps it; validation refuses other changes. */
function keepRank(attributes: AdmissionAttributes): KubeObject {
  const pod = attributes.object as Pod;
  const { priority, preemptionPolicy } = (attributes.oldObject as Pod).spec ?? {};
  const { spec } = pod;
  if (spec === undefined) return pod as KubeObject;
  const kept = {
    ...(spec.priority === undefined && priority !== undefined ? { priority } : {}),
    ...(spec.preemptionPolicy === undefined && preemptionPolicy !== undefined ? { preemptionPolicy } : {}),
  };
  return (Object.keys(kept).length === 0 ? pod : { ...pod, spec: { ...spec, ...kept } }) as KubeObject;
}

interface PodGroup extends KubeObject {
  readonly spec?: { readonly priorityClassName?: string; readonly priority?: number };
}

function rankPodGroup(core: ServerCore, attributes: AdmissionAttributes): KubeObject {
  const group = attributes.object as PodGroup;
  const { className, priority } = rankOf(core, attributes, group.spec?.priorityClassName ?? "");
  if (group.spec?.priority !== undefined && group.spec.priority !== priority) {
    const why = `priority set in the pod group (${group.spec.priority}) must match the priority computed (${priority}) based on the priority class set in the spec`;
    throw admissionForbidden(attributes, why);
  }
  const named = className === "" ? {} : { priorityClassName: className };
  return { ...group, spec: { ...group.spec, priority, ...named } } as KubeObject;
}

function rankOf(core: ServerCore, attributes: AdmissionAttributes, className: string): Rank {
  if (className === "") {
    const byDefault = defaultClass(core);
    if (byDefault === undefined) return { className: "", priority: 0, preemptionPolicy: PREEMPT_LOWER };
    return { ...rankBy(byDefault), className: byDefault.metadata?.name ?? "" };
  }
  const row = core.registry.row(`priorityclasses.${SCHEDULING}`);
  const found = row && core.tableOf(row).get(className)?.object;
  if (found === undefined) {
    throw admissionForbidden(attributes, `no PriorityClass with name ${className} was found`);
  }
  return { ...rankBy(found as PriorityClass), className };
}

const rankBy = ({ value, preemptionPolicy }: PriorityClass): Omit<Rank, "className"> => ({
  priority: value ?? 0,
  preemptionPolicy,
});

/** If a race created several defaults, the lowest counts. */
function defaultClass(core: ServerCore): PriorityClass | undefined {
  const row = core.registry.row(`priorityclasses.${SCHEDULING}`);
  if (row === undefined) return undefined;
  let found: PriorityClass | undefined;
  for (const { object } of core.tableOf(row).scan({ prefix: "" })) {
    const each = object as PriorityClass;
    if (each.globalDefault !== true) continue;
    if (found === undefined || (found.value ?? 0) > (each.value ?? 0)) found = each;
  }
  return found;
}

function refuseSecondDefault(core: ServerCore, attributes: AdmissionAttributes): void {
  const given = attributes.object as PriorityClass;
  if (given.globalDefault !== true) return;
  const name = defaultClass(core)?.metadata?.name;
  if (name === undefined || (attributes.operation === "UPDATE" && name === given.metadata?.name)) return;
  throw admissionForbidden(
    attributes,
    `PriorityClass ${name} is already marked as default. Only one default can exist`,
  );
}
