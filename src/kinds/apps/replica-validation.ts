// ReplicationControllers and ReplicaSets. Upstream: pkg/apis/core/validation, ValidateReplicationController;
// pkg/apis/apps/validation, ValidateReplicaSet

import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { selectorFromSet } from "#api/label-selector.ts";
import { isDns1123Subdomain, maxLengthBytes, maxLengthCharacters, type NameCheck } from "#api/names.ts";
import { type Errors, nonNegative } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaOfFinishedName, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { fixedSelector, workloadSelector, workloadTemplate } from "#kinds/pod-spec/workload-template.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

/** The generated check of the same names counts bytes. Upstream: apimachinery pkg/api/validate, LongName */
const isLongName: NameCheck = (value) =>
  isDns1123Subdomain(value).map((message) => (message === maxLengthCharacters(253) ? maxLengthBytes(253) : message));

export function validateReplicationController(rc: core.ReplicationController, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMetaOfFinishedName(errors, rc.metadata ?? {}, true, isLongName, METADATA);
  controllerSpec(errors, rc.spec ?? {}, opts);
  return errors;
}

export function validateReplicationControllerUpdate(
  rc: core.ReplicationController,
  old: core.ReplicationController,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rc.metadata ?? {}, old.metadata ?? {}, METADATA);
  controllerSpec(errors, rc.spec ?? {}, opts);
  return errors;
}

function controllerSpec(errors: Errors, spec: core.ReplicationControllerSpec, opts: PodOptions): void {
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  if (Object.keys(spec.selector ?? {}).length === 0) errors.push(field.required(SPEC.child("selector"), ""));
  if (spec.replicas === undefined) errors.push(field.required(SPEC.child("replicas"), ""));
  else nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  const path = SPEC.child("template");
  if (!spec.template) errors.push(field.required(path, ""));
  else workloadTemplate(errors, spec.template, selectorFromSet(spec.selector), "ReplicationController", path, opts);
}

export function validateReplicaSet(rs: apps.ReplicaSet, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, rs.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  replicaSetSpec(errors, rs.spec, opts);
  return errors;
}

export function validateReplicaSetUpdate(
  rs: apps.ReplicaSet,
  old: apps.ReplicaSet,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rs.metadata ?? {}, old.metadata ?? {}, METADATA);
  replicaSetSpec(errors, rs.spec, opts);
  fixedSelector(errors, rs.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  return errors;
}

function replicaSetSpec(errors: Errors, given: apps.ReplicaSetSpec | undefined, opts: PodOptions): void {
  const spec: Partial<apps.ReplicaSetSpec> = given ?? {};
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  const selector = workloadSelector(errors, spec.selector, SPEC.child("selector"), "deployment");
  if (selector) workloadTemplate(errors, spec.template ?? {}, selector, "ReplicaSet", SPEC.child("template"), opts);
}

interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

export function validateReplicaStatusUpdate(
  object: core.ReplicationController | apps.ReplicaSet,
  old: core.ReplicationController | apps.ReplicaSet,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status: ReplicaStatus = object.status ?? {};
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  ] as const;
  for (const part of [...counts, "terminatingReplicas"] as const) nonNegative(errors, status[part], STATUS.child(part));
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const part of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const) {
    const count = status[part] ?? 0;
    if (count > replicas)
      errors.push(field.invalid(STATUS.child(part), count, "cannot be greater than status.replicas"));
  }
  if (availableReplicas > readyReplicas) {
    const detail = "cannot be greater than readyReplicas";
    errors.push(field.invalid(STATUS.child("availableReplicas"), availableReplicas, detail));
  }
  return errors;
}
