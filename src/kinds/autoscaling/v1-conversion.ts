// Converts autoscaling/v1 to and from autoscaling/v2, which is stored. Fields that v1 lacks are kept in annotations, in
// v1's form. Upstream: pkg/apis/autoscaling/v1/conversion.go

import { goJson } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { Conversion } from "#kinds/kind.ts";
import {
  asFields,
  asList,
  compact,
  type Fields,
  metricStatusToV1,
  metricStatusToV2,
  metricToV1,
  metricToV2,
} from "./v1-metrics.ts";

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const ROUND_TRIP = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** v1's default. */
const DEFAULT_CPU_UTILIZATION = 80;

export const v1Conversion: Conversion = { toStored: toV2, fromStored: toV1 };

function toV1(object: KubeObject): KubeObject {
  const { spec, status, ...rest } = object as KubeObject & { spec?: unknown; status?: unknown };
  const { metrics, behavior, ...plainSpec } = asFields(spec);
  const { currentMetrics, conditions, ...plainStatus } = asFields(status);
  const cpu = asList(metrics).find(isCpuUtilization);
  const others = asList(metrics).filter((metric) => !isCpuUtilization(metric));
  const currentCpu = asList(currentMetrics)
    .map(currentCpuUtilization)
    .find((value) => value !== undefined);
  const annotations = withoutRoundTrip(object);
  if (others.length > 0) annotations[METRICS] = goJson(others.map(metricToV1));
  if (asList(currentMetrics).length > 0)
    annotations[CURRENT_METRICS] = goJson(asList(currentMetrics).map(metricStatusToV1));
  if (behavior !== undefined) annotations[BEHAVIOR] = behaviorText(behavior);
  if (asList(conditions).length > 0) annotations[CONDITIONS] = goJson(asList(conditions).map(conditionText));
  return {
    ...withMeta(rest as KubeObject, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations }),
    apiVersion: "autoscaling/v1",
    spec: { ...plainSpec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: utilization(cpu) }) },
    status: { ...plainStatus, ...(currentCpu === undefined ? {} : { currentCPUUtilizationPercentage: currentCpu }) },
  } as KubeObject;
}

function toV2(object: KubeObject): KubeObject {
  const { spec, status, ...rest } = object as KubeObject & { spec?: unknown; status?: unknown };
  const given = object.metadata?.annotations ?? {};
  const { targetCPUUtilizationPercentage: target, ...plainSpec } = asFields(spec);
  const { currentCPUUtilizationPercentage: current, ...plainStatus } = asFields(status);
  const metrics = asList(parsed(given[METRICS])).map(metricToV2);
  if (target !== undefined) metrics.push(cpuMetric(target));
  if (metrics.length === 0) metrics.push(cpuMetric(DEFAULT_CPU_UTILIZATION));
  const behavior = behaviorOf(given[BEHAVIOR]);
  const saved = parsed(given[CURRENT_METRICS]);
  const cpuStatus = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } };
  const currentMetrics =
    saved === undefined ? (current === undefined ? undefined : [cpuStatus]) : asList(saved).map(metricStatusToV2);
  const conditions = parsed(given[CONDITIONS]);
  const annotations = withoutRoundTrip(object);
  return {
    ...withMeta(rest as KubeObject, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations }),
    apiVersion: "autoscaling/v2",
    spec: { ...plainSpec, metrics, ...(behavior === undefined ? {} : { behavior }) },
    status: {
      ...plainStatus,
      ...(currentMetrics === undefined ? {} : { currentMetrics }),
      ...(conditions === undefined ? {} : { conditions }),
    },
  } as KubeObject;
}

function withoutRoundTrip(object: KubeObject): Record<string, string> {
  const annotations = { ...object.metadata?.annotations };
  for (const name of ROUND_TRIP) delete annotations[name];
  return annotations;
}

/** Undefined for an annotation that is not JSON. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const cpuMetric = (averageUtilization: unknown): Fields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

function utilization(metric: unknown): unknown {
  return asFields(asFields(asFields(metric).resource).target).averageUtilization;
}

function isCpuUtilization(metric: unknown): boolean {
  const { type, resource } = asFields(metric);
  return type === "Resource" && asFields(resource).name === "cpu" && utilization(metric) !== undefined;
}

function currentCpuUtilization(status: unknown): unknown {
  const { type, resource } = asFields(status);
  const { name, current } = asFields(resource);
  return type === "Resource" && name === "cpu" ? asFields(current).averageUtilization : undefined;
}

/** The behavior is stored under Go's field names, in the order of its structs, with null for absent values. */
function behaviorText(behavior: unknown): string {
  const { scaleUp = null, scaleDown = null } = asFields(behavior);
  return goJson({
    ScaleUp: scaleUp && rulesText(asFields(scaleUp)),
    ScaleDown: scaleDown && rulesText(asFields(scaleDown)),
  });
}

function rulesText({ stabilizationWindowSeconds, selectPolicy, policies, tolerance }: Fields): Fields {
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: policies === undefined ? null : asList(policies).map(policyText),
    Tolerance: tolerance ?? null,
  };
}

function policyText(policy: unknown): Fields {
  const { type = "", value = 0, periodSeconds = 0 } = asFields(policy);
  return { Type: type, Value: value, PeriodSeconds: periodSeconds };
}

function behaviorOf(text: string | undefined): Fields | undefined {
  const behavior = asFields(rekey(parsed(text)));
  return Object.keys(behavior).length === 0 ? undefined : behavior;
}

const lowerFirst = (key: string): string => key.charAt(0).toLowerCase() + key.slice(1);

/** With the API's field names, without nulls. */
function rekey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rekey);
  if (typeof value !== "object" || value === null) return value;
  return compact(Object.fromEntries(Object.entries(value).map(([key, inner]) => [lowerFirst(key), rekey(inner)])));
}

function conditionText(condition: unknown): Fields {
  const { type = "", status = "", lastTransitionTime = null, reason, message } = asFields(condition);
  return {
    type,
    status,
    lastTransitionTime,
    ...compact({ reason: reason || undefined, message: message || undefined }),
  };
}
