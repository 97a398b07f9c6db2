// Horizontal pod autoscalers; autoscaling/v2 is stored.
// Upstream: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go; pkg/apis/autoscaling/{v1,v2}/defaults.go

import type * as autoscaling from "#api/generated/types/autoscaling-v2.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, at, inner, isEmpty, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import {
  validateAutoscaler,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from "./horizontal-pod-autoscaler-validation.ts";
import { v1Conversion } from "./v1-conversion.ts";

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};

const SCALE_DOWN = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

const CPU_AT_80_PERCENT = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

const v2Defaults: Rule = inner(
  "spec",
  all(
    nil({ minReplicas: 1 }),
    (spec) => (isEmpty(spec.metrics) ? set(spec, "metrics", [CPU_AT_80_PERCENT]) : spec),
    at("behavior", all(inner("scaleUp", nil(SCALE_UP)), inner("scaleDown", nil(SCALE_DOWN)))),
  ),
);

const text = (amount: string | undefined): string =>
  amount === undefined ? "<nil>" : quantityFromWire(amount).toString();

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

function metricText(spec: autoscaling.MetricSpec, status: autoscaling.MetricStatus | undefined): string {
  switch (spec.type) {
    case "Pods":
      return `${status?.pods ? text(status.pods.current?.averageValue) : "<unknown>"}/${text(spec.pods?.target?.averageValue)}`;
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Resource":
      return resourceText(spec.resource, status?.resource);
    case "ContainerResource":
      return resourceText(spec.containerResource, status?.containerResource);
    default:
      return "<unknown type>";
  }
}

function valueText(
  target: autoscaling.MetricTarget | undefined,
  current: autoscaling.MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) {
    const now = current?.averageValue === undefined ? "<unknown>" : text(current.averageValue);
    return `${now}/${text(target.averageValue)} (avg)`;
  }
  return `${current ? text(current.value) : "<unknown>"}/${text(target?.value)}`;
}

interface ResourceMetric {
  readonly name?: string;
  readonly target?: autoscaling.MetricTarget;
}

interface ResourceMetricNow {
  readonly current?: autoscaling.MetricValueStatus;
}

function resourceText(spec: ResourceMetric | undefined, status: ResourceMetricNow | undefined): string {
  const { name = "", target } = spec ?? {};
  if (target?.averageValue !== undefined) {
    const now = status ? text(status.current?.averageValue) : "<unknown>";
    return `${name}: ${now}/${text(target.averageValue)}`;
  }
  const now = percent(status?.current?.averageUtilization, "<unknown>");
  return `${name}: ${now}/${percent(target?.averageUtilization, "<auto>")}`;
}

function autoscalerCells(hpa: autoscaling.HorizontalPodAutoscaler, now: EpochMs): unknown[] {
  const { spec, status } = hpa;
  const metrics = (spec?.metrics ?? []).map((metric, i) => metricText(metric, status?.currentMetrics?.[i]));
  const shown =
    metrics.length > 2 ? `${metrics.slice(0, 2).join(", ")} + ${metrics.length - 2} more...` : metrics.join(", ");
  return [
    nameOf(hpa),
    `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
    orNone(shown),
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    ageOf(hpa, now),
  ];
}

/** Upstream: dropDisabledFields */
function withoutTolerances(
  autoscaler: autoscaling.HorizontalPodAutoscaler,
  old: autoscaling.HorizontalPodAutoscaler | undefined,
  gates: FeatureGateReader,
): autoscaling.HorizontalPodAutoscaler {
  const { spec } = autoscaler;
  const behavior = spec?.behavior;
  const isUsed = old?.spec?.behavior?.scaleUp?.tolerance ?? old?.spec?.behavior?.scaleDown?.tolerance;
  if (behavior === undefined || isUsed !== undefined || gates.isEnabled("HPAConfigurableTolerance")) return autoscaler;
  const { scaleUp, scaleDown } = behavior;
  const without = put(
    put(behavior, "scaleUp", scaleUp && put(scaleUp, "tolerance", undefined)),
    "scaleDown",
    scaleDown && put(scaleDown, "tolerance", undefined),
  );
  return { ...autoscaler, spec: { ...spec, behavior: without } };
}

/** Go writes an absent list as null, and null is stored. */
const NO_METRICS = { desiredReplicas: 0, currentMetrics: null } as unknown as autoscaling.HorizontalPodAutoscalerStatus;

function withMetricStatus(autoscaler: autoscaling.HorizontalPodAutoscaler): autoscaling.HorizontalPodAutoscaler {
  const { status } = autoscaler;
  return status?.currentMetrics === undefined ? { ...autoscaler, status: { ...NO_METRICS, ...status } } : autoscaler;
}

const scalesToZero = (gates: FeatureGateReader): boolean => gates.isEnabled("HPAScaleToZero");

const strategy = kindStrategy<autoscaling.HorizontalPodAutoscaler>({
  resetFields: [["status"]],
  prepareForCreate: (autoscaler, { gates }) =>
    withoutTolerances({ ...autoscaler, status: NO_METRICS }, undefined, gates),
  validate: (autoscaler, { gates }) => validateAutoscaler(autoscaler, scalesToZero(gates)),
  prepareForUpdate: (autoscaler, old, { gates }) =>
    withoutTolerances(put(autoscaler, "status", old.status), old, gates),
  validateUpdate: (autoscaler, old, { gates }) => validateAutoscalerUpdate(autoscaler, old, scalesToZero(gates)),
  subresources: { status: statusStrategy(validateAutoscalerStatusUpdate) },
});

export const horizontalPodAutoscaler: Kind<autoscaling.HorizontalPodAutoscaler> = {
  key: "horizontalpodautoscalers.autoscaling",
  strategy,
  defaults: { v1: inner("spec", nil({ minReplicas: 1 })), v2: v2Defaults },
  fillAliases: withMetricStatus,
  conversions: { "autoscaling/v1": v1Conversion },
  printer: printer("Name|Reference|Targets|MinPods|MaxPods|Replicas|Age", autoscalerCells),
};
