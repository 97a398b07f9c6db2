// autoscaling/v1 to and from autoscaling/v2, which is stored. What v1 has no field for travels in
// annotations, in v1's own form. Upstream: pkg/apis/autoscaling/v1/conversion.go

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { Conversion } from "#kinds/kind.ts";

type Fields = Readonly<Record<string, unknown>>;

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const ROUND_TRIP = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** What v1 meant when it said nothing. */
const DEFAULT_CPU_UTILIZATION = 80;

const asFields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

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
  if (others.length > 0) annotations[METRICS] = JSON.stringify(others.map(metricToV1));
  if (asList(currentMetrics).length > 0)
    annotations[CURRENT_METRICS] = JSON.stringify(asList(currentMetrics).map(metricStatusToV1));
  if (behavior !== undefined) annotations[BEHAVIOR] = JSON.stringify(rekey(behavior, upperFirst));
  if (asList(conditions).length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
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
  const behavior = parsed(given[BEHAVIOR]);
  const saved = parsed(given[CURRENT_METRICS]);
  const cpuStatus = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } };
  const currentMetrics =
    saved === undefined ? (current === undefined ? undefined : [cpuStatus]) : asList(saved).map(metricStatusToV2);
  const conditions = parsed(given[CONDITIONS]);
  const annotations = withoutRoundTrip(object);
  return {
    ...withMeta(rest as KubeObject, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations }),
    apiVersion: "autoscaling/v2",
    spec: { ...plainSpec, metrics, ...(behavior === undefined ? {} : { behavior: rekey(behavior, lowerFirst) }) },
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

/** An annotation that is no JSON says nothing. */
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

/** Leaves out what is undefined. */
function compact(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function metricToV1(metric: unknown): Fields {
  const { type, resource, containerResource, pods, object, external } = asFields(metric);
  const flat = (source: unknown): Fields => {
    const { target, metric: identifier, ...rest } = asFields(source);
    const { averageUtilization, averageValue, value } = asFields(target);
    const { name: metricName, selector } = asFields(identifier);
    return { ...rest, metricName, selector, averageUtilization, averageValue, value };
  };
  const byResource = (source: unknown): Fields => {
    const { averageUtilization, averageValue, name, container } = flat(source);
    return compact({ name, container, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
  };
  if (resource !== undefined) return { type, resource: byResource(resource) };
  if (containerResource !== undefined) return { type, containerResource: byResource(containerResource) };
  if (pods !== undefined) {
    const { metricName, selector, averageValue } = flat(pods);
    return { type, pods: compact({ metricName, targetAverageValue: averageValue, selector }) };
  }
  if (object !== undefined) {
    const { metricName, selector, averageValue, value, describedObject } = flat(object);
    return {
      type,
      object: compact({ target: describedObject, metricName, targetValue: value ?? "0", selector, averageValue }),
    };
  }
  const { metricName, selector, averageValue, value } = flat(external);
  return {
    type,
    external: compact({ metricName, metricSelector: selector, targetValue: value, targetAverageValue: averageValue }),
  };
}

function metricToV2(metric: unknown): Fields {
  const { type, resource, containerResource, pods, object, external } = asFields(metric);
  const byResource = (source: unknown): Fields => {
    const { name, container, targetAverageUtilization, targetAverageValue } = asFields(source);
    const isUtilization = targetAverageUtilization !== undefined;
    const target = {
      type: isUtilization ? "Utilization" : "AverageValue",
      averageUtilization: targetAverageUtilization,
      averageValue: targetAverageValue,
    };
    return compact({ name, container, target: compact(target) });
  };
  if (resource !== undefined) return { type, resource: byResource(resource) };
  if (containerResource !== undefined) return { type, containerResource: byResource(containerResource) };
  if (pods !== undefined) {
    const { metricName, selector, targetAverageValue } = asFields(pods);
    const target = { type: "AverageValue", averageValue: targetAverageValue };
    return { type, pods: { metric: compact({ name: metricName, selector }), target } };
  }
  if (object !== undefined) {
    const { target, metricName, targetValue, selector, averageValue } = asFields(object);
    const wanted =
      averageValue === undefined ? { type: "Value", value: targetValue } : { type: "AverageValue", averageValue };
    return {
      type,
      object: { describedObject: target, metric: compact({ name: metricName, selector }), target: wanted },
    };
  }
  const { metricName, metricSelector, targetValue, targetAverageValue } = asFields(external);
  const target =
    targetValue === undefined
      ? { type: "AverageValue", averageValue: targetAverageValue }
      : { type: "Value", value: targetValue };
  return { type, external: { metric: compact({ name: metricName, selector: metricSelector }), target } };
}

function metricStatusToV1(status: unknown): Fields {
  const { type, resource, containerResource, pods, object, external } = asFields(status);
  const byResource = (source: unknown): Fields => {
    const { name, container, current } = asFields(source);
    const { averageUtilization, averageValue } = asFields(current);
    return compact({
      name,
      container,
      currentAverageUtilization: averageUtilization,
      currentAverageValue: averageValue,
    });
  };
  if (resource !== undefined) return { type, resource: byResource(resource) };
  if (containerResource !== undefined) return { type, containerResource: byResource(containerResource) };
  const { metric, current, describedObject } = asFields(pods ?? object ?? external);
  const { name: metricName, selector } = asFields(metric);
  const { averageValue, value } = asFields(current);
  if (pods !== undefined) return { type, pods: compact({ metricName, currentAverageValue: averageValue, selector }) };
  if (object !== undefined) {
    return {
      type,
      object: compact({ target: describedObject, metricName, currentValue: value ?? "0", selector, averageValue }),
    };
  }
  return {
    type,
    external: compact({
      metricName,
      metricSelector: selector,
      currentValue: value ?? "0",
      currentAverageValue: averageValue,
    }),
  };
}

function metricStatusToV2(status: unknown): Fields {
  const { type, resource, containerResource, pods, object, external } = asFields(status);
  const byResource = (source: unknown): Fields => {
    const { name, container, currentAverageUtilization, currentAverageValue } = asFields(source);
    const current = compact({ averageUtilization: currentAverageUtilization, averageValue: currentAverageValue });
    return compact({ name, container, current });
  };
  if (resource !== undefined) return { type, resource: byResource(resource) };
  if (containerResource !== undefined) return { type, containerResource: byResource(containerResource) };
  if (pods !== undefined) {
    const { metricName, selector, currentAverageValue } = asFields(pods);
    return {
      type,
      pods: { metric: compact({ name: metricName, selector }), current: { averageValue: currentAverageValue } },
    };
  }
  if (object !== undefined) {
    const { target, metricName, selector, currentValue, averageValue } = asFields(object);
    const current = compact({ value: currentValue, averageValue });
    return { type, object: { describedObject: target, metric: compact({ name: metricName, selector }), current } };
  }
  const { metricName, metricSelector, currentValue, currentAverageValue } = asFields(external);
  const current = compact({ value: currentValue, averageValue: currentAverageValue });
  return { type, external: { metric: compact({ name: metricName, selector: metricSelector }), current } };
}

const upperFirst = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);
const lowerFirst = (key: string): string => key.charAt(0).toLowerCase() + key.slice(1);

/** The behaviour is saved under its Go names. */
function rekey(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rekey(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [rename(key), rekey(inner, rename)]));
}
