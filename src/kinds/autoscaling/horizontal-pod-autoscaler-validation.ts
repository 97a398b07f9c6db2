// Validation of autoscalers. Upstream: pkg/apis/autoscaling/validation/validation.go

import * as field from "#api/field-error.ts";
import type * as autoscaling from "#api/generated/types/autoscaling-v2.ts";
import { isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import { parseApiVersion } from "#api/object.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import {
  dnsLabel,
  type Errors,
  NOT_NEGATIVE,
  name,
  nonNegative,
  oneOf,
  type Path,
  positive,
} from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { containerResourceName } from "#kinds/parts/resources.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");
const PERIOD_SECONDS_MAX = 1800;
const WINDOW_SECONDS_MAX = 3600;

type Autoscaler = autoscaling.HorizontalPodAutoscaler;
type Reference = autoscaling.CrossVersionObjectReference;

/** Requirements on the API version of a reference. */
interface ReferenceRule {
  readonly mayBeInvalid: boolean;
  readonly mayHaveNoGroup: boolean;
}

/** Upstream: validationOptionsForHorizontalPodAutoscaler */
interface SpecRule {
  readonly minReplicasMin: number;
  readonly target: ReferenceRule;
  readonly described: ReferenceRule;
}

function ruleFor(autoscaler: Autoscaler, old: Autoscaler | undefined, scalesToZero: boolean): SpecRule {
  const { apiVersion, kind } = autoscaler.spec?.scaleTargetRef ?? {};
  const oldTarget = old?.spec?.scaleTargetRef;
  const isSameTarget = old !== undefined && oldTarget?.apiVersion === apiVersion && oldTarget?.kind === kind;
  const described = { mayBeInvalid: false, mayHaveNoGroup: true };
  const hadInvalid = (old?.spec?.metrics ?? []).some(
    ({ type, object }) => type === "Object" && whyInvalid(object?.describedObject?.apiVersion, described) !== undefined,
  );
  return {
    minReplicasMin: scalesToZero || old?.spec?.minReplicas === 0 ? 0 : 1,
    target: {
      mayBeInvalid: isSameTarget,
      mayHaveNoGroup: !isSameTarget && kind === "ReplicationController",
    },
    described: { ...described, mayBeInvalid: hadInvalid },
  };
}

export function validateAutoscaler(autoscaler: Autoscaler, scalesToZero: boolean): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, autoscaler.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  validateSpec(errors, autoscaler.spec, ruleFor(autoscaler, undefined, scalesToZero));
  return errors;
}

export function validateAutoscalerUpdate(
  autoscaler: Autoscaler,
  old: Autoscaler,
  scalesToZero: boolean,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, autoscaler.metadata ?? {}, old.metadata ?? {}, METADATA);
  validateSpec(errors, autoscaler.spec, ruleFor(autoscaler, old, scalesToZero));
  return errors;
}

export function validateAutoscalerStatusUpdate(autoscaler: Autoscaler, old: Autoscaler): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, autoscaler.metadata ?? {}, old.metadata ?? {}, METADATA);
  nonNegative(errors, autoscaler.status?.currentReplicas, STATUS.child("currentReplicas"));
  nonNegative(errors, autoscaler.status?.desiredReplicas, STATUS.child("desiredReplicas"));
  return errors;
}

function validateSpec(errors: Errors, spec: autoscaling.HorizontalPodAutoscalerSpec | undefined, rule: SpecRule): void {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec ?? {};
  const { minReplicasMin } = rule;
  if (minReplicas !== undefined && minReplicas < minReplicasMin) {
    const detail = `must be greater than or equal to ${minReplicasMin}`;
    errors.push(field.invalid(SPEC.child("minReplicas"), minReplicas, detail));
  }
  const maxPath = SPEC.child("maxReplicas");
  if (maxReplicas === 0) errors.push(field.required(maxPath, "must be set and greater than 0"));
  else if (maxReplicas < 0) errors.push(field.invalid(maxPath, maxReplicas, "must be greater than or equal to 1"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(field.invalid(maxPath, maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  reference(errors, scaleTargetRef, SPEC.child("scaleTargetRef"), rule.target);
  metrics.forEach((metric, i) => {
    validateMetric(errors, metric, SPEC.child("metrics").index(i), rule.described);
  });
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(field.forbidden(SPEC.child("metrics"), detail));
  }
  scalingRules(errors, behavior?.scaleUp, SPEC.child("behavior").child("scaleUp"));
  scalingRules(errors, behavior?.scaleDown, SPEC.child("behavior").child("scaleDown"));
}

function reference(errors: Errors, given: Partial<Reference> | undefined, path: Path, rule: ReferenceRule): void {
  const { kind, name: named, apiVersion } = given ?? {};
  requiredSegment(errors, kind, path.child("kind"), "");
  requiredSegment(errors, named, path.child("name"), "");
  const why = whyInvalid(apiVersion, rule);
  if (why !== undefined) errors.push(field.invalid(path.child("apiVersion"), apiVersion ?? "", why));
}

function requiredSegment(errors: Errors, value: string | undefined, path: Path, detail: string): void {
  if (!value) errors.push(field.required(path, detail));
  else name(errors, value, path, isPathSegmentName);
}

function whyInvalid(apiVersion = "", { mayBeInvalid, mayHaveNoGroup }: ReferenceRule): string | undefined {
  if (mayBeInvalid) return undefined;
  if (apiVersion.split("/").length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parseApiVersion(apiVersion).group !== "";
  return hasGroup || mayHaveNoGroup ? undefined : "apiVersion must specify API group";
}

/** Checks by type of metric, in upstream's order. */
const SOURCES = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;
const SOURCE_TYPES = Object.keys(SOURCES).sort();

function validateMetric(errors: Errors, metric: autoscaling.MetricSpec, path: Path, rule: ReferenceRule): void {
  const { type = "" } = metric;
  if (type === "") errors.push(field.required(path.child("type"), "must specify a metric source type"));
  oneOf(errors, type, path.child("type"), SOURCE_TYPES);
  const present = Object.values(SOURCES).filter((source) => metric[source] !== undefined);
  const [first] = present;
  if (first !== undefined) validateSource(errors, metric, first, path.child(first), rule);
  const expected = Object.hasOwn(SOURCES, type) ? SOURCES[type as keyof typeof SOURCES] : undefined;
  if (expected === undefined) oneOf(errors, type, path.child("type"), SOURCE_TYPES);
  else if (metric[expected] === undefined) {
    errors.push(field.required(path.child(expected), "must populate information for the given metric source"));
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source === expected) continue;
    errors.push(field.forbidden(path.child(source), "must populate the given metric source only"));
  }
}

function validateSource(
  errors: Errors,
  metric: autoscaling.MetricSpec,
  source: (typeof SOURCES)[keyof typeof SOURCES],
  path: Path,
  rule: ReferenceRule,
): void {
  const target: Target = metric[source]?.target ?? {};
  const targetPath = path.child("target");
  if (source === "object") reference(errors, metric.object?.describedObject, path.child("describedObject"), rule);
  if (source === "containerResource") containerOf(errors, metric.containerResource, path);
  if (source === "resource" && !metric.resource?.name) {
    errors.push(field.required(path.child("name"), "must specify a resource name"));
  }
  if (source === "object" || source === "external" || source === "pods") {
    const metricPath = path.child("metric").child("name");
    requiredSegment(errors, metric[source]?.metric?.name, metricPath, "must specify a metric name");
  }
  metricTarget(errors, target, targetPath);
  switch (source) {
    case "object":
      if (target.value === undefined && target.averageValue === undefined) {
        errors.push(field.required(targetPath.child("averageValue"), "must set either a target value or averageValue"));
      }
      return;
    case "external":
      externalTarget(errors, target, targetPath);
      return;
    case "pods":
      if (target.averageValue === undefined) {
        errors.push(field.required(targetPath.child("averageValue"), "must specify a positive target averageValue"));
      }
      return;
    default:
      resourceTarget(errors, target, targetPath);
  }
}

function containerOf(errors: Errors, source: autoscaling.ContainerResourceMetricSource | undefined, path: Path): void {
  const { name: resource, container } = source ?? {};
  if (!resource) errors.push(field.required(path.child("name"), "must specify a resource name"));
  else containerResourceName(errors, resource, path.child("name"));
  if (!container) errors.push(field.required(path.child("container"), "must specify a container"));
  else dnsLabel(errors, container, path.child("container"));
}

type Target = Partial<autoscaling.MetricTarget>;

function metricTarget(
  errors: Errors,
  { type = "", value, averageValue, averageUtilization }: Target,
  path: Path,
): void {
  if (type === "") errors.push(field.required(path.child("type"), "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    errors.push(field.invalid(path.child("type"), type, "must be either Utilization, Value, or AverageValue"));
  }
  positiveQuantity(errors, value, path.child("value"));
  positiveQuantity(errors, averageValue, path.child("averageValue"));
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(field.invalid(path.child("averageUtilization"), averageUtilization, "must be greater than 0"));
  }
}

function positiveQuantity(errors: Errors, value: string | undefined, path: Path): void {
  if (value === undefined) return;
  const quantity = quantityFromWire(value);
  if (quantity.sign !== 1) errors.push(field.invalid(path, quantity.toString(), "must be positive"));
}

function externalTarget(errors: Errors, { value, averageValue }: Target, path: Path): void {
  if (value === undefined && averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    errors.push(field.required(path.child("averageValue"), detail));
  }
  if (value !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target value for metric and a per-pod target";
    errors.push(field.forbidden(path.child("value"), detail));
  }
}

function resourceTarget(errors: Errors, { averageUtilization, averageValue }: Target, path: Path): void {
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(field.required(path.child("averageUtilization"), detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(field.forbidden(path.child("averageValue"), detail));
  }
}

function scalingRules(errors: Errors, rules: autoscaling.HPAScalingRules | undefined, path: Path): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = path.child("stabilizationWindowSeconds");
  if (seconds !== undefined && seconds < 0) {
    errors.push(field.invalid(windowPath, seconds, "must be greater than or equal to zero"));
  }
  if (seconds !== undefined && seconds > WINDOW_SECONDS_MAX) {
    errors.push(field.invalid(windowPath, seconds, `must be less than or equal to ${WINDOW_SECONDS_MAX}`));
  }
  if (selectPolicy !== undefined) {
    oneOf(errors, selectPolicy, path.child("selectPolicy"), ["Disabled", "Max", "Min"]);
  }
  if (policies.length === 0) errors.push(field.required(path.child("policies"), "must specify at least one Policy"));
  policies.forEach((policy, i) => {
    scalingPolicy(errors, policy, path.child("policies").index(i));
  });
  if (tolerance === undefined) return;
  const quantity = quantityFromWire(tolerance);
  if (quantity.sign < 0) errors.push(field.invalid(path.child("tolerance"), quantity.toString(), NOT_NEGATIVE));
}

function scalingPolicy(errors: Errors, policy: Partial<autoscaling.HPAScalingPolicy>, path: Path): void {
  const { type, value = 0, periodSeconds = 0 } = policy;
  oneOf(errors, type, path.child("type"), ["Percent", "Pods"]);
  positive(errors, value, path.child("value"));
  positive(errors, periodSeconds, path.child("periodSeconds"));
  if (periodSeconds > PERIOD_SECONDS_MAX) {
    const detail = `must be less than or equal to ${PERIOD_SECONDS_MAX}`;
    errors.push(field.invalid(path.child("periodSeconds"), periodSeconds, detail));
  }
}
