// The sources of metrics: resources of pods and containers, custom metrics of pods and objects, and external metrics.

import { expect } from "vitest";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  autoscale,
  type CustomValues,
  conditionOf,
  cpuAt,
  LOST_TIME,
  type PodUsage,
  readyPods,
  serveCustom,
  serveExternal,
  serveUsage,
  target,
  untilCalm,
  untilReason,
  untilSize,
  useCpu,
} from "./objects.ts";

/** Two sync periods of the profile: the last phase contains a sync. */
const TWO_LOOKS_MS = 2000;

const hits = (type: "Value" | "AverageValue", amount: string) => ({
  type: "Object",
  object: {
    describedObject: { apiVersion: "v1", kind: "Service", name: "web" },
    metric: { name: "hits" },
    target: type === "Value" ? { type, value: amount } : { type, averageValue: amount },
  },
});

const queue = (type: "Value" | "AverageValue", amount: string) => ({
  type: "External",
  external: {
    metric: { name: "queue", selector: { matchLabels: { topic: "orders" } } },
    target: type === "Value" ? { type, value: amount } : { type, averageValue: amount },
  },
});

export const metrics: readonly ScenarioText[] = [
  {
    name: "horizontal-pod-autoscaler/1, horizontal-pod-autoscaler/9, horizontal-pod-autoscaler/15, horizontal-pod-autoscaler/17, horizontal-pod-autoscaler/writes, horizontal-pod-autoscaler/watches, horizontal-pod-autoscaler/tests doubles a target that uses twice its share of CPU, and then has enough",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 2), "150m");
      await autoscale(stage, { metrics: [cpuAt(75)] });
      await untilSize(stage, 4);
      const reason = "New size: 4; reason: cpu resource utilization (percentage of request) above target";
      await stage.event("SuccessfulRescale", ({ type, message }) => type === "Normal" && message === reason);
      const autoscaler = await untilCalm(stage, 4);
      await stage.calm(async () => {
        expect(autoscaler.status?.lastScaleTime).toBeDefined();
        const own = (await stage.writes()).filter(({ who }) => who === "horizontal-pod-autoscaler");
        const [first, second] = own.map(({ resource }) => resource);
        expect([first, second]).toEqual(["replicasets/scale", "horizontalpodautoscalers/status"]);
      });
      expect(autoscaler.status?.currentMetrics).toEqual([
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 150, averageValue: "150m" } } },
      ]);
      expect(conditionOf(autoscaler, "ScalingActive")).toMatchObject({ status: "True", reason: "ValidMetricFound" });
      await stage.settle();
      useCpu(usage, await readyPods(stage, 4), "75m");
      await stage
        .of(HorizontalPodAutoscalers)
        .until("web", ({ status }) => status?.currentMetrics?.[0]?.resource?.current?.averageUtilization === 75);
      await stage.calm(async () => {
        await stage.settle();
        expect((await stage.of(Pods).list()).length).toBe(4);
      });
      await stage.pass(TWO_LOOKS_MS);
    },
  },
  {
    name: "horizontal-pod-autoscaler/8, horizontal-pod-autoscaler/9, horizontal-pod-autoscaler/tests takes pods without a sample for busy before it removes any",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      const pods = await target(stage, 3);
      useCpu(usage, pods.slice(0, 1), "10m");
      await autoscale(stage, { metrics: [cpuAt(60)] });
      await untilReason(stage, "ScalingLimited", "DesiredWithinRange");
      await stage.settle();
      useCpu(usage, pods, "10m");
      await untilSize(stage, 1);
      await untilCalm(stage, 1);
    },
  },
  {
    name: "horizontal-pod-autoscaler/10, horizontal-pod-autoscaler/tests looks at one container alone when it is told to",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      const pods = await target(stage, 2, [{ name: "main" }, { name: "side" }]);
      for (const pod of pods) usage.set(pod, { main: { memory: "150Mi" }, side: { memory: "1Mi" } });
      const memory = { name: "memory", container: "main", target: { type: "Utilization", averageUtilization: 100 } };
      await autoscale(stage, { metrics: [{ type: "ContainerResource", containerResource: memory }] });
      await untilSize(stage, 3);
      const { status } = await untilCalm(stage, 3);
      expect(status?.currentMetrics?.[0]?.containerResource?.current).toEqual({
        averageUtilization: 150,
        averageValue: "150Mi",
      });
    },
  },
  {
    name: "horizontal-pod-autoscaler/9, horizontal-pod-autoscaler/11, horizontal-pod-autoscaler/reads-live, horizontal-pod-autoscaler/tests follows the average of a metric of the pods",
    exceptions: LOST_TIME,
    async play(stage) {
      const values: CustomValues = new Map();
      await serveCustom(stage, values);
      const pods = await target(stage, 2);
      values.set("pods/*/qps", Object.fromEntries(pods.map((pod) => [pod, "15"])));
      const qps = { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } };
      await autoscale(stage, { metrics: [{ type: "Pods", pods: qps }] });
      await untilSize(stage, 3);
      await stage.event(
        "SuccessfulRescale",
        ({ message }) => message === "New size: 3; reason: pods metric qps above target",
      );
      await untilCalm(stage, 3);
    },
  },
  {
    name: "horizontal-pod-autoscaler/11, horizontal-pod-autoscaler/tests follows the value of an object, and its share for each pod",
    async play(stage) {
      const values: CustomValues = new Map([["services/web/hits", { web: "30" }]]);
      await serveCustom(stage, values);
      await target(stage, 2);
      await autoscale(stage, { metrics: [hits("Value", "20")] });
      await untilSize(stage, 3);
      await stage.event(
        "SuccessfulRescale",
        ({ message }) => message === "New size: 3; reason: Service metric hits above target",
      );
      await untilCalm(stage, 3);
      await readyPods(stage, 3);
      values.set("services/web/hits", { web: "20" });
      await stage
        .of(HorizontalPodAutoscalers)
        .until("web", ({ status }) => status?.currentMetrics?.[0]?.object?.current?.value === "20");
      await stage.settle();
      await stage.of(HorizontalPodAutoscalers).patch("web", { spec: { metrics: [hits("AverageValue", "4")] } });
      await untilSize(stage, 5);
      await untilCalm(stage, 5);
    },
  },
  {
    name: "horizontal-pod-autoscaler/11, horizontal-pod-autoscaler/tests follows the sum of an external metric, and its share for each pod",
    async play(stage) {
      const values = new Map<string, readonly string[]>([["queue", ["20", "10"]]]);
      await serveExternal(stage, values);
      await target(stage, 2);
      await autoscale(stage, { metrics: [queue("Value", "20")] });
      await untilSize(stage, 3);
      await untilCalm(stage, 3);
      await stage.settle();
      await stage.of(HorizontalPodAutoscalers).patch("web", { spec: { metrics: [queue("AverageValue", "6")] } });
      await untilSize(stage, 5);
      await stage
        .of(HorizontalPodAutoscalers)
        .until("web", ({ status }) => status?.currentMetrics?.[0]?.external?.current?.averageValue === "6");
    },
  },
  {
    name: "horizontal-pod-autoscaler/6, horizontal-pod-autoscaler/7, horizontal-pod-autoscaler/events, horizontal-pod-autoscaler/tests grows by the metrics that it can read, and shrinks only by all of them",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      await serveCustom(stage, new Map());
      const pods = await target(stage, 2);
      useCpu(usage, pods, "150m");
      await autoscale(stage, { metrics: [hits("Value", "20"), cpuAt(100)] });
      await untilSize(stage, 3);
      const grown = await untilCalm(stage, 3);
      expect(grown.status?.currentMetrics?.map(({ type }) => type)).toEqual(["", "Resource"]);
      expect(conditionOf(grown, "ScalingActive")).toMatchObject({ status: "True" });
      await stage.settle();
      useCpu(usage, await readyPods(stage, 3), "10m");
      const stuck = await untilReason(stage, "ScalingActive", "FailedGetObjectMetric");
      expect(conditionOf(stuck, "ScalingActive")?.status).toBe("False");
      await stage.event("FailedComputeMetricsReplicas", ({ message = "" }) =>
        message.startsWith("invalid metrics (1 invalid out of 2), first error is: failed to get object metric value: "),
      );
      await stage.settle();
      expect((await stage.of(Pods).list()).length).toBe(3);
      await stage.pass(TWO_LOOKS_MS);
    },
  },
];
