// The autoscaler of the scenarios, its target, and the metrics that they serve.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
} from "#api/generated/types/autoscaling-v2.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { AggregatedAnswer } from "#sim/aggregated-apis.ts";
import { setPodStatus } from "#test/stage/pods.ts";
import type { Excuse } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

type Autoscaler = ObjectOf<typeof HorizontalPodAutoscalers>;

export const LOST_TIME: readonly Excuse[] = [
  { where: /status.lastScaleTime/, reason: "horizontal.go sets the time in the status that it writes after the scale" },
];

export const labels = { app: "web" };
const HOUR_MS = 3_600_000;

/** Creates an autoscaler called web, for the ReplicaSet web unless another target is given. */
export function autoscale(stage: Stage, spec: Partial<HorizontalPodAutoscalerSpec>, name = "web"): Promise<Autoscaler> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };
  return stage
    .of(HorizontalPodAutoscalers)
    .create({ metadata: { name }, spec: { scaleTargetRef, maxReplicas: 10, ...spec } });
}

export const cpuAt = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

export function conditionOf({ status }: Autoscaler, type: string): HorizontalPodAutoscalerCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Waits until the condition has the reason. */
export function untilReason(stage: Stage, type: string, reason: string, name = "web"): Promise<Autoscaler> {
  return stage.of(HorizontalPodAutoscalers).until(name, (object) => conditionOf(object, type)?.reason === reason);
}

export async function untilSize(stage: Stage, replicas: number): Promise<void> {
  await stage.of(ReplicaSets).until("web", ({ spec }) => spec?.replicas === replicas);
}

/** Waits until the autoscaler reports that the target has the desired size. */
export function untilCalm(stage: Stage, replicas: number, name = "web"): Promise<Autoscaler> {
  return stage
    .of(HorizontalPodAutoscalers)
    .until(name, ({ status }) => status?.currentReplicas === replicas && status.desiredReplicas === replicas);
}

/**
 * Creates a ReplicaSet called web whose pods request 100m of CPU and have been ready for an hour; returns their names.
 */
export async function target(
  stage: Stage,
  replicas: number,
  containers: readonly { readonly name: string }[] = [{ name: "main" }],
): Promise<readonly string[]> {
  const pods = await startTarget(stage, replicas, containers);
  await stage.settle();
  return pods;
}

/** Like target, while the autoscaler runs. */
export async function startTarget(
  stage: Stage,
  replicas: number,
  containers: readonly { readonly name: string }[] = [{ name: "main" }],
): Promise<readonly string[]> {
  const resources = { requests: { cpu: "100m", memory: "100Mi" } };
  const spec = { containers: containers.map((container) => ({ image: "example/web:1", resources, ...container })) };
  await stage.of(ReplicaSets).create({
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  return readyPods(stage, replicas);
}

/** Makes all other pods ready, as if for an hour; returns the names of all pods. */
export async function readyPods(stage: Stage, count: number): Promise<readonly string[]> {
  const pods = await stage.of(Pods).untilAll((all) => all.length === count);
  const since = formatTime(stage.now() - HOUR_MS);
  for (const { metadata, status } of pods) {
    if (status?.phase === "Running") continue;
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: since }];
    await setPodStatus(stage, metadata.name, { phase: "Running", startTime: since, conditions });
  }
  await stage.of(ReplicaSets).until("web", ({ status }) => (status?.readyReplicas ?? 0) === count);
  return pods.map(({ metadata }) => metadata.name);
}

/** By pod, then by container. */
export type PodUsage = Map<string, Readonly<Record<string, Readonly<Record<string, string>>>>>;

/** Serves the usage of pods; the map may change. Pods that are not in it have no sample. */
export async function serveUsage(stage: Stage, usage: PodUsage): Promise<void> {
  const { namespace } = stage;
  const items = (): readonly object[] =>
    [...usage].map(([name, containers]) => ({
      metadata: { name, namespace },
      timestamp: formatTime(stage.now()),
      window: "30s",
      containers: Object.entries(containers).map(([container, amounts]) => ({ name: container, usage: amounts })),
    }));
  await stage.serve({
    groupVersion: "metrics.k8s.io/v1beta1",
    resources: [{ name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] }],
    answer: () => ({
      body: { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: {}, items: items() },
    }),
  });
}

/** Sets the same CPU usage for each of the pods. */
export function useCpu(usage: PodUsage, pods: readonly string[], cpu: string): void {
  for (const pod of pods) usage.set(pod, { main: { cpu } });
}

/** Values by the part of the requested path after the namespace: "pods/*\/qps", "services/web/hits". */
export type CustomValues = Map<string, Readonly<Record<string, string>>>;

export async function serveCustom(stage: Stage, values: CustomValues): Promise<void> {
  await stage.serve({
    groupVersion: "custom.metrics.k8s.io/v1beta2",
    resources: [
      { name: "pods/qps", singularName: "", namespaced: true, kind: "MetricValueList", verbs: ["get"] },
      { name: "services/hits", singularName: "", namespaced: true, kind: "MetricValueList", verbs: ["get"] },
    ],
    answer({ path }): AggregatedAnswer {
      const [, namespace, ...rest] = decodeURIComponent(path).split("/");
      const found = values.get(rest.join("/"));
      if (found === undefined) return { status: 404, body: notFound(rest.join("/")) };
      const items = Object.entries(found).map(([name, value]) => ({
        describedObject: { kind: "Object", namespace, name, apiVersion: "v1" },
        metric: { name: rest.at(-1) },
        timestamp: formatTime(stage.now()),
        value,
      }));
      const body = { kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: {}, items };
      return { body };
    },
  });
}

/** Serves values of external metrics, by name. */
export async function serveExternal(stage: Stage, values: Map<string, readonly string[]>): Promise<void> {
  await stage.serve({
    groupVersion: "external.metrics.k8s.io/v1beta1",
    resources: [{ name: "queue", singularName: "", namespaced: true, kind: "ExternalMetricValueList", verbs: ["get"] }],
    answer({ path }): AggregatedAnswer {
      const name = path.split("/").at(-1) ?? "";
      const items = (values.get(name) ?? []).map((value) => ({
        metricName: name,
        metricLabels: {},
        timestamp: formatTime(stage.now()),
        value,
      }));
      const apiVersion = "external.metrics.k8s.io/v1beta1";
      return { body: { kind: "ExternalMetricValueList", apiVersion, metadata: {}, items } };
    },
  });
}

const notFound = (what: string): object => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "NotFound",
  message: `${what} not found`,
  code: 404,
});
