// Validation of pods: create, update, binding and templates. Upstream: pkg/apis/core/validation, ValidatePodCreate,
// ValidatePodUpdate, ValidatePodTemplateSpec, ValidatePodBinding

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Int64 } from "#api/int64.ts";
import { inclusiveRange, isDns1123Subdomain } from "#api/names.ts";
import { type Errors, labels, type Path } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { annotations, objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { diffJson } from "#kinds/parts/unified-diff.ts";
import { imageWithoutSpace } from "#kinds/pod-spec/containers.ts";
import { podAnnotations, podAnnotationUpdates, profilesMatch } from "#kinds/pod-spec/pod-annotations.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { POD_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { podSpec } from "#kinds/pod-spec/pod-spec.ts";
import { nodeAffinityMutation, nodeSelectorMutation, onlyAddedTolerations, onlyDeletedGates } from "./pod-mutations.ts";

const INT32_MAX = 2_147_483_647;
const SPEC = field.newPath("spec");
const METADATA = field.newPath("metadata");

export const specOf = (pod: core.Pod): core.PodSpec => pod.spec ?? { containers: [] };

/** `isSpecKnown`: an equal spec was found valid before. */
export function metadataAndSpec(errors: Errors, pod: core.Pod, opts: PodOptions, isSpecKnown = false): void {
  const spec = specOf(pod);
  objectMeta(errors, pod.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  podAnnotations(errors, pod.metadata?.annotations, spec, METADATA.child("annotations"), opts);
  if (isSpecKnown) return;
  podSpec(errors, spec, pod.metadata ?? {}, SPEC, opts);
  if (!spec.serviceAccountName) {
    spec.volumes?.forEach((volume, i) => {
      volume.projected?.sources?.forEach((source, j) => {
        if (!source.serviceAccountToken) return;
        const at = SPEC.child("volumes").index(i).child("projected", "sources").index(j).child("serviceAccountToken");
        errors.push(field.forbidden(at, "must not be specified when serviceAccountName is not set"));
      });
    });
  }
  for (const list of ["containers", "initContainers"] as const) {
    spec[list]?.forEach((container, i) => {
      imageWithoutSpace(errors, container, SPEC.child(list).index(i));
    });
  }
}

/** Checks the metadata of a pod whose spec and annotations are known to be valid. */
export function validatePodMetadata(pod: core.Pod): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, pod.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  return errors;
}

export function validatePodCreate(pod: core.Pod, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  metadataAndSpec(errors, pod, opts);
  errors.push(...refusedWhenNew(pod));
  return errors;
}

/** Errors that apply to a create but not to an update. */
export function refusedWhenNew(pod: core.Pod): field.FieldError[] {
  const errors: Errors = [];
  const spec = specOf(pod);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(field.forbidden(SPEC.child("ephemeralContainers"), "cannot be set on create"));
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(field.forbidden(SPEC.child("nodeName"), detail));
  }
  profilesMatch(errors, pod.metadata?.annotations, spec, SPEC);
  return errors;
}

/** A template inside a workload. Errors have the path of the template, not of its metadata. */
export function podTemplateSpec(errors: Errors, template: core.PodTemplateSpec, path: Path, opts: PodOptions): void {
  const { metadata = {}, spec = { containers: [] } } = template;
  const specPath = path.child("spec");
  labels(errors, metadata.labels, path.child("labels"));
  annotations(errors, metadata.annotations, path.child("annotations"));
  podAnnotations(errors, metadata.annotations, spec, path.child("annotations"), opts);
  podSpec(errors, spec, undefined, specPath, opts);
  profilesMatch(errors, metadata.annotations, spec, specPath);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(field.forbidden(specPath.child("ephemeralContainers"), detail));
  }
}

export function validatePodTemplate(template: core.PodTemplate, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, template.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  podTemplateSpec(errors, template.template ?? {}, field.newPath("template"), opts);
  return errors;
}

export function validatePodTemplateUpdate(
  template: core.PodTemplate,
  old: core.PodTemplate,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, template.metadata ?? {}, old.metadata ?? {}, METADATA);
  podTemplateSpec(errors, template.template ?? {}, field.newPath("template"), opts);
  return errors;
}

export function validatePodBinding(binding: core.Binding): field.FieldError[] {
  const errors: Errors = [];
  const { kind = "", name = "" } = binding.target ?? {};
  if (kind !== "" && kind !== "Node") {
    errors.push(field.notSupported(field.newPath("target", "kind"), kind, ["Node", "<empty>"]));
  }
  if (name === "") errors.push(field.required(field.newPath("target", "name"), ""));
  return errors;
}

const UPDATABLE = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

export function validatePodUpdate(
  pod: core.Pod,
  old: core.Pod,
  opts: PodOptions,
  isSpecKnown = false,
): field.FieldError[] {
  const errors: Errors = [];
  const [spec, oldSpec] = [specOf(pod), specOf(old)];
  objectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {}, METADATA);
  metadataAndSpec(errors, pod, opts, isSpecKnown);
  const at = METADATA.child("annotations");
  podAnnotationUpdates(errors, pod.metadata?.annotations, old.metadata?.annotations, spec, at, opts);
  if (!sameContainers(errors, spec.containers, oldSpec.containers, SPEC.child("containers"))) return errors;
  if (!sameContainers(errors, spec.initContainers, oldSpec.initContainers, SPEC.child("initContainers"))) return errors;
  if (!deadline(errors, spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds)) return errors;
  onlyAddedTolerations(errors, spec.tolerations ?? [], oldSpec.tolerations ?? [], SPEC.child("tolerations"), opts);
  onlyDeletedGates(errors, spec.schedulingGates ?? [], oldSpec.schedulingGates ?? [], SPEC.child("schedulingGates"));
  if (semanticEqual(spec, oldSpec, POD_SPEC())) return errors;
  const munged = withoutAllowedChanges(errors, spec, oldSpec);
  if (!semanticEqual(munged, oldSpec, POD_SPEC())) {
    const diff = diffJson(internalSpec(oldSpec), internalSpec(munged));
    errors.push(field.forbidden(SPEC, `pod updates may not change fields other than ${UPDATABLE}\n${diff}`));
  }
  return errors;
}

/** Upstream's internal type has the host namespaces in the security context. */
export function internalSpec(spec: core.PodSpec): unknown {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext, ...rest } = spec;
  const moved = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return internalForm(
    "PodSpec",
    securityContext ? { ...rest, securityContext: { ...securityContext, ...moved } } : rest,
  );
}

function sameContainers(
  errors: Errors,
  now: readonly core.Container[] | undefined,
  before: readonly core.Container[] | undefined,
  path: Path,
): boolean {
  const [list, old] = [now ?? [], before ?? []];
  if (list.length !== old.length) {
    errors.push(field.forbidden(path, "pod updates may not add or remove containers"));
    return false;
  }
  list.forEach((container, i) => {
    if (!container.image) errors.push(field.required(path.index(i).child("image"), ""));
    imageWithoutSpace(errors, container, path.index(i));
  });
  return true;
}

function deadline(errors: Errors, seconds: Int64 | undefined, old: Int64 | undefined): boolean {
  const path = SPEC.child("activeDeadlineSeconds");
  if (seconds === undefined) {
    if (old !== undefined) {
      errors.push(field.invalid(path, null, "must not update from a positive integer to nil value"));
    }
    return true;
  }
  if (seconds < 0 || seconds > INT32_MAX) {
    errors.push(field.invalid(path, seconds, inclusiveRange(0, INT32_MAX)));
    return false;
  }
  if (old === undefined || old >= seconds) return true;
  errors.push(field.invalid(path, seconds, "must be less than or equal to previous value"));
  return false;
}

/** The new spec with all allowed changes reverted. */
function withoutAllowedChanges(errors: Errors, spec: core.PodSpec, old: core.PodSpec): core.PodSpec {
  const withImages = (list: readonly core.Container[] = [], before: readonly core.Container[] = []): core.Container[] =>
    list.map((container, i) => put(container, "image", before[i]?.image));
  let munged: core.PodSpec = {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    ...(spec.initContainers ? { initContainers: withImages(spec.initContainers, old.initContainers) } : {}),
  };
  for (const part of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) {
    munged = put(munged, part, old[part]);
  }
  const oldGrace = old.terminationGracePeriodSeconds;
  if (oldGrace !== undefined && oldGrace < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged = put(munged, "terminationGracePeriodSeconds", oldGrace);
  }
  return (old.schedulingGates ?? []).length > 0 ? withoutGatedChanges(errors, munged, old) : munged;
}

/** A pod with scheduling gates may still restrict its nodes further. */
function withoutGatedChanges(errors: Errors, spec: core.PodSpec, old: core.PodSpec): core.PodSpec {
  let munged = spec;
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    nodeSelectorMutation(errors, spec.nodeSelector ?? {}, old.nodeSelector ?? {}, SPEC.child("nodeSelector"));
    munged = put(munged, "nodeSelector", old.nodeSelector);
  }
  const [now, before] = [spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity];
  if (semanticEqual(now, before)) return munged;
  nodeAffinityMutation(errors, now, before, SPEC.child("affinity", "nodeAffinity"));
  const isOnlyNodeAffinity = !spec.affinity?.podAffinity && !spec.affinity?.podAntiAffinity;
  if (spec.affinity && !old.affinity && isOnlyNodeAffinity) return put(munged, "affinity", undefined);
  return put(munged, "affinity", put(spec.affinity ?? {}, "nodeAffinity", before));
}

/** A copy with one field replaced, or left out when the value is undefined. */
export function put<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  const copy = { ...object };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}
