// ReplicationControllers, ReplicaSets and Scales. Upstream: pkg/apis/core/validation, ValidateReplicationController;
// pkg/apis/apps/validation, ValidateReplicaSet; pkg/apis/autoscaling/validation, ValidateScale

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as autoscaling from "#api/generated/types/autoscaling-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Selector, selectorFromObject, selectorFromSet } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import { isDns1123Subdomain, maxLengthBytes, maxLengthCharacters, type NameCheck } from "#api/names.ts";
import { type Errors, IMMUTABLE, labelSelector, nonNegative, oneOf, type Path } from "./checks.ts";
import { internalForm, sortedMap } from "./internal-form.ts";
import { objectMeta, objectMetaOfFinishedName, objectMetaUpdate } from "./metadata.ts";
import { podTemplateSpec } from "./pod.ts";
import type { PodOptions } from "./pod-options.ts";

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
  else template(errors, spec.template, selectorFromSet(spec.selector), "ReplicationController", path, opts);
}

/** The template of a controller that keeps pods running: its pods restart always and have no deadline. */
function template(
  errors: Errors,
  value: core.PodTemplateSpec,
  selector: Selector,
  kind: string,
  path: Path,
  opts: PodOptions,
): void {
  const labels = value.metadata?.labels;
  if (!selector.matches(labels ?? {})) {
    errors.push(
      field.invalid(
        path.child("metadata", "labels"),
        sortedMap(labels ?? null),
        "`selector` does not match template `labels`",
      ),
    );
  }
  podTemplateSpec(errors, value, path, opts);
  oneOf(errors, value.spec?.restartPolicy, path.child("spec", "restartPolicy"), ["Always"]);
  if (value.spec?.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(field.forbidden(path.child("spec", "activeDeadlineSeconds"), detail));
  }
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
  if (!semanticEqual(rs.spec?.selector, old.spec?.selector)) {
    errors.push(field.invalid(SPEC.child("selector"), selectorForm(rs.spec?.selector), IMMUTABLE));
  }
  return errors;
}

function replicaSetSpec(errors: Errors, given: apps.ReplicaSetSpec | undefined, opts: PodOptions): void {
  const spec: Partial<apps.ReplicaSetSpec> = given ?? {};
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  const path = SPEC.child("selector");
  const { selector } = spec;
  if (!selector) errors.push(field.required(path, ""));
  else {
    labelSelector(errors, selector, path);
    if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
      errors.push(field.invalid(path, {}, "empty selector is invalid for deployment"));
    }
  }
  const parsed = tryParse(selector);
  if (parsed === undefined) errors.push(field.invalid(path, selectorForm(selector), "invalid label selector"));
  else template(errors, spec.template ?? {}, parsed, "ReplicaSet", SPEC.child("template"), opts);
}

const selectorForm = (selector: LabelSelector | undefined | null): unknown =>
  selector ? internalForm("LabelSelector", selector) : null;

function tryParse(selector: apps.ReplicaSetSpec["selector"] | undefined): Selector | undefined {
  try {
    return selectorFromObject(selector);
  } catch {
    return undefined; // Which part is wrong stands in the errors of the selector's own check.
  }
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

export function validateScale(scale: autoscaling.Scale): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, scale.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  nonNegative(errors, scale.spec?.replicas, SPEC.child("replicas"));
  return errors;
}
