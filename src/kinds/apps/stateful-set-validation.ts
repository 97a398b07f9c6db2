// StatefulSets. Upstream: pkg/apis/apps/validation, ValidateStatefulSet

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label } from "#api/names.ts";
import { claimSpec } from "#kinds/core/claim-spec.ts";
import { podTemplateSpec, put } from "#kinds/core/pod-validation.ts";
import { dnsLabel, type Errors, labels, nonNegative, oneOf, type Path } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { annotations, objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { podAnnotations } from "#kinds/pod-spec/pod-annotations.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { STATEFUL_SET_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import {
  atMost100Percent,
  bareNumber,
  intOrPercent,
  keptRunning,
  notDecremented,
  templateMatches,
  workloadSelector,
} from "#kinds/pod-spec/workload-template.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

interface SetOptions {
  readonly isUpdate: boolean;
  /** The stored template is already invalid. */
  readonly skipTemplate: boolean;
}

export function validateStatefulSet(set: apps.StatefulSet, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, set.metadata ?? {}, true, isDns1123Label, METADATA);
  setSpec(errors, set.spec ?? {}, opts, { isUpdate: false, skipTemplate: false });
  return errors;
}

const CHANGEABLE = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

export function validateStatefulSetUpdate(
  set: apps.StatefulSet,
  old: apps.StatefulSet,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  const ofOld: Errors = [];
  setSpec(ofOld, old.spec ?? {}, opts, { isUpdate: true, skipTemplate: false });
  setSpec(errors, set.spec ?? {}, opts, { isUpdate: true, skipTemplate: ofOld.length > 0 });
  let munged: Partial<apps.StatefulSetSpec> = set.spec ?? {};
  for (const part of CHANGEABLE) munged = put(munged, part, old.spec?.[part]);
  if (!semanticEqual(munged, old.spec ?? {}, STATEFUL_SET_SPEC())) {
    const detail =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    errors.push(field.forbidden(SPEC, detail));
  }
  return errors;
}

function setSpec(errors: Errors, spec: Partial<apps.StatefulSetSpec>, opts: PodOptions, setOpts: SetOptions): void {
  const management = spec.podManagementPolicy ?? "";
  if (management === "") errors.push(field.required(SPEC.child("podManagementPolicy"), ""));
  else if (management !== "OrderedReady" && management !== "Parallel") {
    errors.push(field.invalid(SPEC.child("podManagementPolicy"), management, "must be 'OrderedReady' or 'Parallel'"));
  }
  updateStrategy(errors, spec.updateStrategy ?? {}, SPEC.child("updateStrategy"));
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  for (const part of ["whenDeleted", "whenScaled"] as const) {
    const at = SPEC.child("persistentVolumeClaimRetentionPolicy", part);
    if (retention) oneOf(errors, retention[part], at, ["Retain", "Delete"]);
  }
  if (!setOpts.isUpdate) {
    spec.volumeClaimTemplates?.forEach((claim, i) => {
      claimSpec(errors, claim.spec ?? {}, SPEC.child("volumeClaimTemplates").index(i).child("spec"));
    });
  }
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  nonNegative(errors, spec.ordinals?.start, SPEC.child("ordinals.start"));
  if (!setOpts.isUpdate && spec.serviceName) dnsLabel(errors, spec.serviceName, SPEC.child("serviceName"));
  const selector = workloadSelector(errors, spec.selector, SPEC.child("selector"), "statefulset", "");
  const template = spec.template ?? {};
  if (selector) {
    templateMatches(errors, template, selector, SPEC.child("template"));
    podTemplate(errors, withClaims(template, spec.volumeClaimTemplates ?? []), SPEC.child("template"), opts, setOpts);
  }
  keptRunning(errors, template, "StatefulSet", SPEC.child("template"));
}

/**
 * The template as used for pods: without hostname and subdomain, which the set assigns, and with the claims as volumes.
 */
function withClaims(
  template: core.PodTemplateSpec,
  claims: readonly core.PersistentVolumeClaim[],
): core.PodTemplateSpec {
  if (!template.spec) return template;
  const { subdomain: _, hostname: __, ...spec } = template.spec;
  if (claims.length === 0) return { ...template, spec };
  const names = new Set(claims.map(({ metadata }) => metadata?.name ?? ""));
  const own = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...spec, volumes: [...own, ...others] } };
}

// As upstream, labels and annotations are checked a second time.
function podTemplate(
  errors: Errors,
  template: core.PodTemplateSpec,
  path: Path,
  opts: PodOptions,
  setOpts: SetOptions,
): void {
  const { metadata, spec = { containers: [] } } = template;
  if (!setOpts.skipTemplate) podTemplateSpec(errors, template, path, opts);
  labels(errors, metadata?.labels, path.child("labels"));
  annotations(errors, metadata?.annotations, path.child("annotations"));
  podAnnotations(errors, metadata?.annotations, spec, path.child("annotations"), opts);
}

function updateStrategy(errors: Errors, strategy: apps.StatefulSetUpdateStrategy, path: Path): void {
  const { type = "", rollingUpdate } = strategy;
  const at = path.child("rollingUpdate");
  if (type === "") errors.push(field.required(path, ""));
  else if (type === "OnDelete") {
    if (!rollingUpdate) return;
    const value = internalForm("RollingUpdateStatefulSetStrategy", rollingUpdate);
    errors.push(field.invalid(at, value, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (type !== "RollingUpdate") {
    const value = internalForm("StatefulSetUpdateStrategy", strategy);
    errors.push(field.invalid(path, value, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (rollingUpdate) {
    nonNegative(errors, rollingUpdate.partition, at.child("partition"));
    const { maxUnavailable } = rollingUpdate;
    if (maxUnavailable === undefined) return;
    const maxAt = at.child("maxUnavailable");
    intOrPercent(errors, maxUnavailable, maxAt);
    if (bareNumber(maxUnavailable) === 0) errors.push(field.invalid(maxAt, maxUnavailable, "cannot be 0"));
    atMost100Percent(errors, maxUnavailable, maxAt);
  }
}

export function validateStatefulSetStatusUpdate(set: apps.StatefulSet, old: apps.StatefulSet): field.FieldError[] {
  const errors: Errors = [];
  const status: Partial<apps.StatefulSetStatus> = set.status ?? {};
  const counts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;
  const all = ["replicas", ...counts, "observedGeneration", "collisionCount"] as const;
  for (const part of all) nonNegative(errors, status[part], STATUS.child(part));
  for (const part of counts) {
    const count = status[part] ?? 0;
    if (count <= (status.replicas ?? 0)) continue;
    errors.push(field.invalid(STATUS.child(part), count, "cannot be greater than status.replicas"));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    const detail = "cannot be greater than status.readyReplicas";
    errors.push(field.invalid(STATUS.child("availableReplicas"), available, detail));
  }
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  notDecremented(errors, status.collisionCount, old.status?.collisionCount, STATUS.child("collisionCount"));
  return errors;
}
