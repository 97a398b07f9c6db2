// Changes of a running pod's resources. Upstream: pkg/apis/core/validation, ValidatePodResize

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { objectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { WireAmounts } from "#kinds/parts/quantities.ts";
import { MIRROR_POD } from "#kinds/pod-spec/pod-annotations.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { CONTAINER, POD_SPEC, RESOURCES } from "#kinds/pod-spec/pod-schema.ts";
import { computePodQos, podQos } from "#rules/pod-qos.ts";
import { metadataAndSpec, put, specOf } from "./pod-validation.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const NOWHERE = field.newPath("");

export function validatePodResize(pod: core.Pod, old: core.Pod, opts: PodOptions): field.FieldError[] {
  const [spec, oldSpec] = [specOf(pod), specOf(old)];
  if (old.metadata?.annotations?.[MIRROR_POD] !== undefined) {
    return [field.forbidden(NOWHERE, "static pods cannot be resized")];
  }
  if (oldSpec.os?.name === "windows") return [field.forbidden(NOWHERE, "windows pods cannot be resized")];
  const errors: Errors = [];
  objectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {}, METADATA);
  metadataAndSpec(errors, pod, opts);
  if (podQos(old) !== computePodQos(pod)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(field.invalid(SPEC, pod.status?.qosClass ?? "", detail));
  }
  if (!isSupportedByNode(old)) errors.push(field.forbidden(SPEC, "Pod running on node without support for resize"));
  let munged = spec;
  if (hasPodLevel(oldSpec) || hasPodLevel(spec)) {
    if (!opts.allowPodLevelResize) {
      const detail =
        "resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled";
      errors.push(field.forbidden(NOWHERE, detail));
      return errors;
    }
    munged = podLevelResize(errors, spec, oldSpec);
  }
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    errors.push(field.forbidden(SPEC, "pods with node allocatable resource claims cannot be resized"));
  }
  const before = errors.length;
  sameOrder(errors, "containers", spec, oldSpec);
  sameOrder(errors, "initContainers", spec, oldSpec);
  if (errors.length > before) return errors;
  removals(errors, spec, oldSpec, opts);
  munged = { ...munged, containers: resizedContainers(errors, spec, oldSpec) };
  if (spec.initContainers) munged = { ...munged, initContainers: resizedInitContainers(errors, spec, oldSpec, opts) };
  if (errors.length === 0 && !semanticEqual(munged, oldSpec, POD_SPEC())) {
    errors.push(field.forbidden(SPEC, "only cpu and memory resources are mutable"));
  }
  return errors;
}

/** Nodes that support resizing report the resources of running containers. */
function isSupportedByNode({ status }: core.Pod): boolean {
  const running = status?.containerStatuses?.find((container) => container.state?.running);
  return running === undefined || running.resources !== undefined;
}

const hasPodLevel = ({ resources }: core.PodSpec): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

function podLevelResize(errors: Errors, spec: core.PodSpec, old: core.PodSpec): core.PodSpec {
  const path = SPEC.child("resources");
  if (old.resources && !spec.resources) {
    errors.push(field.forbidden(path, "pod-level resources cannot be removed"));
    return spec;
  }
  for (const part of ["requests", "limits"] as const) {
    if (old.resources && isRemoved(spec.resources?.[part], old.resources[part])) {
      errors.push(field.forbidden(path.child(part), `pod-level resource ${part} cannot be removed`));
    }
  }
  const kept = withoutCpuAndMemoryChanges(spec.resources ?? {}, old.resources ?? {});
  const resources = !old.resources && Object.keys(kept).length === 0 ? undefined : { ...spec.resources, ...kept };
  if (!semanticEqual(resources, old.resources, RESOURCES())) {
    errors.push(field.forbidden(SPEC, "only cpu and memory resources are mutable at pod-level"));
  }
  return put(spec, "resources", resources);
}

function isRemoved(now: WireAmounts = {}, before: WireAmounts = {}): boolean {
  const names = Object.keys(before);
  return names.length > Object.keys(now).length || names.some((name) => !Object.hasOwn(now, name));
}

function sameOrder(errors: Errors, list: "containers" | "initContainers", spec: core.PodSpec, old: core.PodSpec): void {
  const [now, before] = [spec[list] ?? [], old[list] ?? []];
  const path = SPEC.child(list);
  if (now.length !== before.length) {
    errors.push(field.forbidden(path, `${list} may not be added or removed on resize`));
    return;
  }
  before.forEach((container, i) => {
    if (now[i]?.name === container.name) return;
    errors.push(field.forbidden(path.index(i).child("name"), `${list} may not be renamed or reordered on resize`));
  });
}

function removals(errors: Errors, spec: core.PodSpec, old: core.PodSpec, opts: PodOptions): void {
  for (const list of ["initContainers", "containers"] as const) {
    old[list]?.forEach((container, i) => {
      if (list === "initContainers" && !opts.allowInitContainerResize && container.restartPolicy !== "Always") return;
      for (const part of ["requests", "limits"] as const) {
        if (!isRemoved(spec[list]?.[i]?.resources?.[part], container.resources?.[part])) continue;
        const path = SPEC.child(list).index(i).child("resources", part);
        errors.push(field.forbidden(path, `resource ${part} cannot be removed`));
      }
    });
  }
}

/** The new quantities with the old cpu and memory; empty maps are left out. */
function withoutCpuAndMemoryChanges(
  now: core.ResourceRequirements,
  before: core.ResourceRequirements,
): core.ResourceRequirements {
  const restore = (amounts: WireAmounts = {}, old: WireAmounts = {}): WireAmounts | undefined => {
    const rest = Object.entries(amounts).filter(([name]) => name !== "cpu" && name !== "memory");
    const kept = Object.entries(old).filter(([name]) => name === "cpu" || name === "memory");
    const all = [...rest, ...kept];
    return all.length === 0 ? undefined : Object.fromEntries(all);
  };
  const limits = restore(now.limits, before.limits);
  const requests = restore(now.requests, before.requests);
  return { ...(limits && { limits }), ...(requests && { requests }) };
}

function unresized(container: core.Container, old: core.Container): core.Container {
  return { ...container, resources: withoutCpuAndMemoryChanges(container.resources ?? {}, old.resources ?? {}) };
}

const isSame = (a: core.Container, b: core.Container): boolean =>
  semanticEqual({ ...a, resources: a.resources ?? {} }, { ...b, resources: b.resources ?? {} }, CONTAINER());

function resizedContainers(errors: Errors, spec: core.PodSpec, old: core.PodSpec): core.Container[] {
  return (spec.containers ?? []).map((container, i) => {
    const before = old.containers?.[i] ?? container;
    const munged = unresized(container, before);
    if (!isSame(munged, before)) errors.push(field.forbidden(SPEC, "only cpu and memory resources are mutable"));
    return munged;
  });
}

function resizedInitContainers(
  errors: Errors,
  spec: core.PodSpec,
  old: core.PodSpec,
  opts: PodOptions,
): core.Container[] {
  return (spec.initContainers ?? []).map((container, i) => {
    const before = old.initContainers?.[i] ?? container;
    const isSidecar = container.restartPolicy === "Always";
    const isChanged = !isSame(container, before);
    if (!isSidecar && !opts.allowInitContainerResize) {
      if (isChanged) errors.push(field.forbidden(SPEC, "resources for non-sidecar init containers are immutable"));
      return container;
    }
    const path = SPEC.child("initContainers").index(i);
    const munged = unresized(container, before);
    if (!isSame(munged, before)) {
      const detail = "only cpu and memory resources for init or sidecar containers are mutable";
      errors.push(field.forbidden(path, detail));
    }
    for (const { restartPolicy } of (isChanged && !isSidecar && container.resizePolicy) || []) {
      if (restartPolicy !== "RestartContainer") continue;
      const detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
      errors.push(field.forbidden(path, detail));
    }
    return munged;
  });
}
