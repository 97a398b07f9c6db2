// Deployments, DaemonSets and ControllerRevisions. Upstream: pkg/apis/apps/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { podTemplateSpec } from "#kinds/core/pod-validation.ts";
import {
  type Errors,
  hasLabelSelectorErrors,
  IMMUTABLE,
  labelSelector,
  nonNegative,
  type Path,
} from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { POD_TEMPLATE } from "#kinds/pod-spec/pod-schema.ts";
import {
  atMost100Percent,
  bareNumber,
  fixedSelector,
  intOrPercent,
  isEmptySelector,
  keptRunning,
  notDecremented,
  parseSelector,
  templateMatches,
  workloadSelector,
  workloadTemplate,
} from "#kinds/pod-spec/workload-template.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

export function validateDeployment(deployment: apps.Deployment, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, deployment.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  deploymentSpec(errors, deployment.spec ?? {}, opts);
  return errors;
}

export function validateDeploymentUpdate(
  deployment: apps.Deployment,
  old: apps.Deployment,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, deployment.metadata ?? {}, old.metadata ?? {}, METADATA);
  deploymentSpec(errors, deployment.spec ?? {}, opts);
  fixedSelector(errors, deployment.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  return errors;
}

function deploymentSpec(errors: Errors, spec: Partial<apps.DeploymentSpec>, opts: PodOptions): void {
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  const selector = workloadSelector(errors, spec.selector, SPEC.child("selector"), "deployment");
  if (selector) workloadTemplate(errors, spec.template ?? {}, selector, "ReplicaSet", SPEC.child("template"), opts);
  deploymentStrategy(errors, spec.strategy ?? {}, SPEC.child("strategy"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  nonNegative(errors, spec.revisionHistoryLimit, SPEC.child("revisionHistoryLimit"));
  const deadline = spec.progressDeadlineSeconds;
  if (deadline === undefined) return;
  nonNegative(errors, deadline, SPEC.child("progressDeadlineSeconds"));
  if (deadline <= (spec.minReadySeconds ?? 0)) {
    const detail = "must be greater than minReadySeconds";
    errors.push(field.invalid(SPEC.child("progressDeadlineSeconds"), deadline, detail));
  }
}

function deploymentStrategy(errors: Errors, strategy: apps.DeploymentStrategy, path: Path): void {
  const { type, rollingUpdate } = strategy;
  const at = path.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate) errors.push(field.forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== "RollingUpdate") {
    errors.push(field.notSupported(path, internalForm("DeploymentStrategy", strategy), ["Recreate", "RollingUpdate"]));
  } else if (!rollingUpdate) {
    errors.push(field.required(at, "this should be defaulted and never be nil"));
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    intOrPercent(errors, maxUnavailable, at.child("maxUnavailable"));
    intOrPercent(errors, maxSurge, at.child("maxSurge"));
    if (bareNumber(maxUnavailable) === 0 && bareNumber(maxSurge) === 0) {
      errors.push(field.invalid(at.child("maxUnavailable"), maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    }
    atMost100Percent(errors, maxUnavailable, at.child("maxUnavailable"));
  }
}

export function validateDeploymentStatusUpdate(deployment: apps.Deployment, old: apps.Deployment): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, deployment.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status = deployment.status ?? {};
  const counts = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  const all = [
    "observedGeneration",
    "replicas",
    ...counts,
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ] as const;
  for (const part of all) nonNegative(errors, status[part], STATUS.child(part));
  for (const part of counts) {
    const count = status[part] ?? 0;
    if (count <= (status.replicas ?? 0)) continue;
    errors.push(field.invalid(STATUS.child(part), count, "cannot be greater than status.replicas"));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    errors.push(field.invalid(STATUS.child("availableReplicas"), available, "cannot be greater than readyReplicas"));
  }
  notDecremented(errors, status.collisionCount, old.status?.collisionCount, STATUS.child("collisionCount"));
  return errors;
}

export function validateDaemonSet(set: apps.DaemonSet, generation: number, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, set.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  daemonSetSpec(errors, set.spec ?? {}, generation, opts, false);
  return errors;
}

/** The generations are those of the templates. */
export function validateDaemonSetUpdate(
  set: apps.DaemonSet,
  old: apps.DaemonSet,
  generations: { readonly now: number; readonly old: number },
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  const at = SPEC.child("templateGeneration");
  const isSame = semanticEqual(set.spec?.template, old.spec?.template, POD_TEMPLATE());
  if (generations.now < generations.old) errors.push(field.invalid(at, generations.now, "must not be decremented"));
  if (generations.now === generations.old && !isSame) {
    errors.push(field.invalid(at, generations.now, "must be incremented upon template update"));
  } else if (generations.now > generations.old && isSame) {
    errors.push(field.invalid(at, generations.now, "must not be incremented without template update"));
  }
  fixedSelector(errors, set.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  const allowInvalidValues = opts.allowInvalidAffinitySelector || hasLabelSelectorErrors(old.spec?.selector);
  daemonSetSpec(errors, set.spec ?? {}, generations.now, opts, allowInvalidValues);
  return errors;
}

function daemonSetSpec(
  errors: Errors,
  spec: Partial<apps.DaemonSetSpec>,
  generation: number,
  opts: PodOptions,
  allowInvalidValues: boolean,
): void {
  const template = spec.template ?? {};
  labelSelector(errors, spec.selector, SPEC.child("selector"), allowInvalidValues);
  const selector = parseSelector(spec.selector);
  if (selector) templateMatches(errors, template, selector, SPEC.child("template"));
  if (spec.selector && isEmptySelector(spec.selector)) {
    errors.push(field.invalid(SPEC.child("selector"), {}, "empty selector is invalid for daemonset"));
  }
  podTemplateSpec(errors, template, SPEC.child("template"), opts);
  keptRunning(errors, template, "DaemonSet", SPEC.child("template"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  nonNegative(errors, generation, SPEC.child("templateGeneration"));
  daemonSetStrategy(errors, spec.updateStrategy ?? {}, SPEC.child("updateStrategy"));
  nonNegative(errors, spec.revisionHistoryLimit, SPEC.child("revisionHistoryLimit"));
}

function daemonSetStrategy(errors: Errors, strategy: apps.DaemonSetUpdateStrategy, path: Path): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const value = internalForm("DaemonSetUpdateStrategy", strategy);
    errors.push(field.notSupported(path, value, ["RollingUpdate", "OnDelete"]));
    return;
  }
  const at = path.child("rollingUpdate");
  if (!rollingUpdate) {
    errors.push(field.required(at, ""));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  intOrPercent(errors, maxUnavailable, at.child("maxUnavailable"));
  intOrPercent(errors, maxSurge, at.child("maxSurge"));
  atMost100Percent(errors, maxUnavailable, at.child("maxUnavailable"));
  atMost100Percent(errors, maxSurge, at.child("maxSurge"));
  const [hasUnavailable, hasSurge] = [bareNumber(maxUnavailable) !== 0, bareNumber(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(field.invalid(at.child("maxSurge"), maxSurge, "may not be set when maxUnavailable is non-zero"));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(field.required(at.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
  }
}

export function validateDaemonSetStatusUpdate(set: apps.DaemonSet, old: apps.DaemonSet): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status: Partial<apps.DaemonSetStatus> = set.status ?? {};
  const counts = [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ] as const;
  for (const part of counts) nonNegative(errors, status[part], STATUS.child(part));
  notDecremented(errors, status.collisionCount, old.status?.collisionCount, STATUS.child("collisionCount"));
  return errors;
}

function revision(errors: Errors, object: apps.ControllerRevision): void {
  objectMeta(errors, object.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  nonNegative(errors, object.revision, field.newPath("revision"));
}

export function validateControllerRevision(object: apps.ControllerRevision): field.FieldError[] {
  const errors: Errors = [];
  revision(errors, object);
  const data: unknown = object.data;
  if (data === undefined || data === null) errors.push(field.required(field.newPath("data"), "data is mandatory"));
  else if (typeof data !== "object" || Array.isArray(data)) {
    errors.push(field.required(field.newPath("data"), "data must be a valid JSON object"));
  }
  return errors;
}

export function validateControllerRevisionUpdate(
  object: apps.ControllerRevision,
  old: apps.ControllerRevision,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  revision(errors, object);
  if (!semanticEqual(object.data, old.data)) {
    errors.push(field.invalid(field.newPath("data"), object.data ?? null, IMMUTABLE));
  }
  return errors;
}
