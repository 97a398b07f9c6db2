// Horizontal pod autoscalers in both versions, as the real server judges them.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { get, merge, patch, post } from "../steps.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const pods = {
  type: "Pods",
  pods: {
    metric: { name: "qps", selector: { matchLabels: { verb: "GET" } } },
    target: { type: "AverageValue", averageValue: "10" },
  },
};
const object = {
  type: "Object",
  object: {
    describedObject: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "web" },
    metric: { name: "hits" },
    target: { type: "Value", value: "2k" },
  },
};
const external = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "30" } },
};
const container = {
  type: "ContainerResource",
  containerResource: { name: "memory", container: "main", target: { type: "AverageValue", averageValue: "100Mi" } },
};
const behavior = {
  scaleUp: { stabilizationWindowSeconds: 30, tolerance: "50m" },
  scaleDown: { selectPolicy: "Min", policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] },
};
const spec = (more: object = {}): object => ({ spec: { scaleTargetRef, maxReplicas: 3, ...more } });
const condition = { type: "AbleToScale", status: "True", reason: "Ready", message: "m" };

const v2: KindRow = {
  label: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  resource: "horizontalpodautoscalers",
  minimal: spec(),
  full: spec({ minReplicas: 2, metrics: [cpu, container, pods, object, external], behavior }),
  invalid: [
    {},
    spec({ minReplicas: 0 }),
    spec({ minReplicas: 4 }),
    spec({ maxReplicas: 0 }),
    spec({ maxReplicas: -1 }),
    spec({ scaleTargetRef: { kind: "Deployment", name: "web" } }),
    spec({ scaleTargetRef: { apiVersion: "a/b/c", kind: "De/ployment", name: ".." } }),
    spec({ metrics: [{ type: "Resource" }] }),
    spec({ metrics: [{ ...cpu, type: "Other", external: external.external }] }),
    spec({ metrics: [{ ...cpu, pods: pods.pods }] }),
    spec({ metrics: [{ ...external, external: { metric: {}, target: { type: "Value" } } }] }),
    spec({ metrics: [{ ...cpu, resource: { name: "cpu", target: { type: "Some", averageUtilization: 0 } } }] }),
    spec({ behavior: { scaleUp: { stabilizationWindowSeconds: 3601, tolerance: "-1" } } }),
    spec({
      behavior: { scaleDown: { selectPolicy: "Any", policies: [{ type: "Any", value: 0, periodSeconds: 1801 }] } },
    }),
  ],
  updates: [
    { spec: { minReplicas: 2 } },
    { spec: { scaleTargetRef: { apiVersion: "bad/version/x" } } },
    { spec: { metrics: [cpu, external] } },
    { spec: { behavior } },
    { spec: { behavior: null } },
    { metadata: { labels: { a: "b" } } },
  ],
  status: [
    { currentReplicas: 1, desiredReplicas: 2, currentMetrics: null },
    { currentReplicas: -1, desiredReplicas: -1 },
    {
      currentReplicas: 1,
      desiredReplicas: 2,
      lastScaleTime: "2026-01-02T03:04:05Z",
      currentMetrics: [
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 3, averageValue: "30m" } } },
      ],
      conditions: [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }],
    },
  ],
  patches: {
    merge: { spec: { maxReplicas: 5 } },
    json: [{ op: "replace", path: "/spec/minReplicas", value: 2 }],
    strategic: { spec: { metrics: [external] } },
  },
  otherContent: spec({ maxReplicas: 7 }),
};

const v1: KindRow = {
  ...v2,
  label: "HorizontalPodAutoscaler v1",
  apiVersion: "autoscaling/v1",
  full: spec({ minReplicas: 2, targetCPUUtilizationPercentage: 60 }),
  invalid: [
    spec({ minReplicas: 4 }),
    spec({ targetCPUUtilizationPercentage: 0 }),
    spec({ maxReplicas: 0 }),
    spec({ scaleTargetRef: { kind: "", name: "a/b" } }),
    {
      ...spec(),
      metadata: { name: "a", annotations: { "autoscaling.alpha.kubernetes.io/metrics": '[{"type":"Pods"}]' } },
    },
  ],
  updates: [
    { spec: { targetCPUUtilizationPercentage: 70 } },
    { spec: { targetCPUUtilizationPercentage: null } },
    { metadata: { annotations: { "autoscaling.alpha.kubernetes.io/behavior": '{"ScaleUp":{"SelectPolicy":"Min"}}' } } },
    { metadata: { labels: { a: "b" } } },
  ],
  status: [
    { currentReplicas: 1, desiredReplicas: 2 },
    { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 30 },
  ],
  patches: {
    merge: { spec: { maxReplicas: 5 } },
    json: [{ op: "replace", path: "/spec/minReplicas", value: 2 }],
    strategic: { spec: { targetCPUUtilizationPercentage: 10 } },
  },
};

const V1 = "/apis/autoscaling/v1/namespaces/$ns/horizontalpodautoscalers";
const V2 = "/apis/autoscaling/v2/namespaces/$ns/horizontalpodautoscalers";
const rates = { ...external, external: { metric: { name: "rate" }, target: { type: "Value", value: "1500m" } } };
const perPod = { ...object, object: { ...object.object, target: { type: "AverageValue", averageValue: "3" } } };
const statuses = [
  { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20, averageValue: "40m" } } },
  { type: "Pods", pods: { metric: { name: "qps" }, current: { averageValue: "3" } } },
  { type: "Object", object: { ...object.object, target: undefined, current: { value: "4" } } },
  { type: "External", external: { metric: { name: "queue" }, current: { averageValue: "5" } } },
  { type: "" },
];

const versions: readonly JudgeCase[] = [
  {
    name: "HorizontalPodAutoscaler: one version seen in the other",
    steps: [
      post(V2, {
        metadata: { name: "a" },
        ...spec({ metrics: [cpu, container, pods, object, external, rates, perPod], behavior }),
      }),
      patch(`${V2}/a/status`, merge, {
        status: { desiredReplicas: 1, currentMetrics: statuses, conditions: [condition] },
      }),
      get(`${V1}/a`),
      patch(`${V1}/a`, merge, { spec: { targetCPUUtilizationPercentage: 20 } }),
      get(`${V2}/a`),
      post(V1, { metadata: { name: "b" }, ...spec() }),
      get(`${V2}/b`),
    ],
  },
];

export const horizontalPodAutoscalerCases: readonly JudgeCase[] = [...casesOf(v2), ...casesOf(v1), ...versions];
