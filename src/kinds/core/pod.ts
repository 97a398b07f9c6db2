// Pods. Upstream: pkg/registry/core/pod/strategy.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Int64 } from "#api/int64.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { isDns1123Label } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { firstGeneration, put, putMeta, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { podAliases } from "#kinds/pod-spec/aliases.ts";
import { dropDisabledStatus, withoutDisabled } from "#kinds/pod-spec/disabled-fields.ts";
import { knownPodSpecs } from "#kinds/pod-spec/known-pod-specs.ts";
import { podDefaults } from "#kinds/pod-spec/pod-defaults.ts";
import { type PodOptions, podOptions } from "#kinds/pod-spec/pod-options.ts";
import { withAppArmorFields, withLabelKeys } from "#kinds/pod-spec/pod-placement.ts";
import { POD_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { podWarnings } from "#kinds/pod-spec/pod-warnings.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { computePodQos } from "#rules/pod-qos.ts";
import { forwardPorts, proxyToPod, readLog, streamToContainer } from "./kubelet-connections.ts";
import { podBinding } from "./pod-binding.ts";
import { podEviction } from "./pod-eviction.ts";
import { podPrinter } from "./pod-printer.ts";
import { validatePodResize } from "./pod-resize.ts";
import { validateEphemeralContainersUpdate, validatePodStatusUpdate } from "./pod-status-validation.ts";
import { refusedWhenNew, validatePodCreate, validatePodMetadata, validatePodUpdate } from "./pod-validation.ts";

const optionsOf = (ctx: StrategyContext, old?: core.Pod): PodOptions => podOptions(ctx.gates, old, true);

function qosClassOf(pod: core.Pod, { gates }: StrategyContext): string {
  return computePodQos({ ...pod, status: {} }, { podLevelResources: gates.isEnabled("PodLevelResources") });
}

function newStatus(pod: core.Pod, ctx: StrategyContext): core.PodStatus {
  const status: core.PodStatus = { phase: "Pending", qosClass: qosClassOf(pod, ctx) };
  if ((pod.spec?.schedulingGates ?? []).length === 0) return status;
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const gated = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message };
  return updatePodCondition(status, gated, ctx.now);
}

/** Prepares the spec as for a create. */
const prepared = (pod: core.Pod, { gates }: StrategyContext): core.Pod =>
  withAppArmorFields(withLabelKeys(withoutDisabled(pod, undefined, gates), gates));

/** Whether a create would accept the pod and leave it unchanged. */
function couldBeNew(pod: core.Pod, options: PodOptions, ctx: StrategyContext): boolean {
  const ofNew = optionsOf(ctx);
  const names = Object.keys(ofNew) as (keyof PodOptions)[];
  if (names.some((name) => options[name] !== ofNew[name])) return false;
  return refusedWhenNew(pod).length === 0 && prepared(pod, ctx) === pod;
}

function countSpecChange(pod: core.Pod, old: core.Pod): core.Pod {
  if (semanticEqual(pod.spec, old.spec, POD_SPEC())) return pod;
  return putMeta(pod, { generation: (pod.metadata?.generation ?? 0) + 1 });
}

/** The old pod with a new spec, and with the metadata changes that a status update may make. */
function onlySpec(pod: core.Pod, old: core.Pod, spec: core.PodSpec): core.Pod {
  const metadata = resetMetaForStatus(pod.metadata, old.metadata);
  return put({ ...pod, metadata, spec }, "status", old.status);
}

function onlyResources(pod: core.Pod, old: core.Pod, { gates }: StrategyContext): core.Pod {
  const [spec, oldSpec] = [pod.spec, old.spec];
  if (spec === undefined || oldSpec === undefined) return pod;
  // Added, removed or renamed containers are left for validation to refuse.
  if ((spec.containers ?? []).length !== (oldSpec.containers ?? []).length) return pod;
  if ((spec.initContainers ?? []).length !== (oldSpec.initContainers ?? []).length) return pod;
  const merge = (now: readonly core.Container[], before: readonly core.Container[]): readonly core.Container[] => {
    if (now.some((container, i) => container.name !== before[i]?.name)) return now;
    return before.map((container, i) =>
      put(put(container, "resources", now[i]?.resources), "resizePolicy", now[i]?.resizePolicy),
    );
  };
  let kept: core.PodSpec = { ...oldSpec, containers: merge(spec.containers ?? [], oldSpec.containers ?? []) };
  if (spec.initContainers) kept = { ...kept, initContainers: merge(spec.initContainers, oldSpec.initContainers ?? []) };
  if (gates.isEnabled("InPlacePodLevelResourcesVerticalScaling")) kept = put(kept, "resources", spec.resources);
  return onlySpec(pod, old, kept);
}

function statusUpdate(pod: core.Pod, old: core.Pod, ctx: StrategyContext): core.Pod {
  const { deletionTimestamp: _, ...meta } = pod.metadata ?? {};
  const metadata = put(meta, "ownerReferences", old.metadata?.ownerReferences);
  let status: core.PodStatus = pod.status ?? {};
  if (!status.qosClass) status = put(status, "qosClass", old.status?.qosClass);
  status = dropDisabledStatus(keepGenerations(status, old.status ?? {}), old.status, ctx.gates);
  return put({ ...pod, metadata, status }, "spec", old.spec);
}

/** An observedGeneration that a client omits keeps its old value, in the status and in conditions by type and order. */
function keepGenerations(status: core.PodStatus, old: core.PodStatus): core.PodStatus {
  const kept = status.observedGeneration ? status : put(status, "observedGeneration", old.observedGeneration);
  if (!kept.conditions || !old.conditions?.some(({ observedGeneration }) => observedGeneration)) return kept;
  const known = Map.groupBy(old.conditions, ({ type }) => type);
  const conditions = kept.conditions.map((condition) => {
    const before = known.get(condition.type)?.shift()?.observedGeneration;
    return condition.observedGeneration || !before ? condition : { ...condition, observedGeneration: before };
  });
  return { ...kept, conditions };
}

function statusWarnings({ status }: core.Pod): string[] {
  const warnings: string[] = [];
  for (const part of ["podIPs", "hostIPs"] as const) {
    status?.[part]?.forEach(({ ip }, i) => {
      warnings.push(...ipWarnings(ip ?? "", field.newPath("status", part).index(i).child("ip")));
    });
  }
  return warnings;
}

/** Pods that no kubelet runs, before or after their run, are deleted at once. */
export function checkGracefulDelete(pod: core.Pod, options: DeleteOptions): Int64 {
  const isOver = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
  if (!pod.spec?.nodeName || isOver) return 0;
  const seconds = options.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

const strategy = kindStrategy<core.Pod>({
  resetFields: [["status"]],
  prepareForCreate(pod, ctx) {
    const found = knownPodSpecs(ctx.gates).find(pod);
    if (found !== undefined) {
      const { spec, known } = found;
      known.qosClass ??= qosClassOf(pod, ctx);
      return firstGeneration({ ...pod, spec, status: { phase: "Pending", qosClass: known.qosClass } });
    }
    return prepared(firstGeneration({ ...pod, status: newStatus(pod, ctx) }), ctx);
  },
  validate(pod, ctx) {
    const specs = knownPodSpecs(ctx.gates);
    if (specs.current(pod) !== undefined) return validatePodMetadata(pod);
    const errors = validatePodCreate(pod, optionsOf(ctx));
    if (errors.length === 0) specs.add(pod);
    return errors;
  },
  // Deviation: no warning if an AppArmor annotation filled in the field, because the field is already set when this
  // runs.
  warningsOnCreate(pod, { gates }) {
    const messages = isDns1123Label(pod.metadata?.name ?? "");
    const advice =
      "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
    const ofName = messages.length === 0 ? [] : [`metadata.name: ${advice}: [${messages.join(" ")}]`];
    const known = knownPodSpecs(gates).current(pod);
    if (known?.isUnwarned) return ofName;
    const ofSpec = podWarnings(pod, undefined, gates);
    if (known !== undefined) known.isUnwarned = ofSpec.length === 0;
    return [...ofName, ...ofSpec];
  },
  prepareForUpdate: (pod, old, { gates }) =>
    countSpecChange(withoutDisabled(put(pod, "status", old.status), old, gates), old),
  // An update allows everything that a create allows, and violations that the stored pod has.
  validateUpdate(pod, old, ctx) {
    const specs = knownPodSpecs(ctx.gates);
    const isKept = pod.spec === old.spec;
    const isKnown = isKept && specs.find(pod) !== undefined;
    const options = optionsOf(ctx, old);
    const errors = validatePodUpdate(pod, old, options, isKnown);
    if (isKept && !isKnown && errors.length === 0 && couldBeNew(pod, options, ctx)) specs.add(pod);
    return errors;
  },
  gracefulDelete: { checkGracefulDelete },
  subresources: {
    status: {
      prepareForUpdate: statusUpdate,
      validateUpdate: (pod, old, ctx) => validatePodStatusUpdate(pod, old, optionsOf(ctx, old)),
      warningsOnUpdate: statusWarnings,
      resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
    },
    // As upstream, these two have no reset fields, so managers own the fields that they sent.
    ephemeralcontainers: {
      prepareForUpdate(pod, old, { gates }) {
        const spec = put(old.spec ?? { containers: [] }, "ephemeralContainers", pod.spec?.ephemeralContainers);
        return countSpecChange(withoutDisabled(onlySpec(pod, old, spec), old, gates), old);
      },
      validateUpdate: (pod, old, ctx) => validateEphemeralContainersUpdate(pod, old, optionsOf(ctx, old)),
    },
    resize: {
      prepareForUpdate: (pod, old, ctx) =>
        countSpecChange(withoutDisabled(onlyResources(pod, old, ctx), old, ctx.gates), old),
      validateUpdate: (pod, old, ctx) => validatePodResize(pod, old, optionsOf(ctx, old)),
    },
  },
});

const nodeName = ({ spec }: core.Pod): string => spec?.nodeName ?? "";

export const pod: Kind<core.Pod> = {
  key: "pods",
  strategy,
  defaults: podDefaults,
  fillAliases: podAliases,
  selectableFields: {
    "spec.nodeName": nodeName,
    "spec.host": nodeName,
    "spec.restartPolicy": ({ spec }) => spec?.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec?.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec?.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    // As upstream, the label is accepted but the field is never set.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
  indexedField: "spec.nodeName",
  printer: podPrinter,
  unprintedSubresources: ["ephemeralcontainers", "resize"],
  returnsDeletedObject: true,
  hooks: (server) => ({
    posted: { binding: podBinding(server), eviction: podEviction(server) },
    connected: {
      attach: streamToContainer(server),
      exec: streamToContainer(server),
      log: readLog(server),
      portforward: forwardPorts(server),
      proxy: proxyToPod(server),
    },
  }),
};
