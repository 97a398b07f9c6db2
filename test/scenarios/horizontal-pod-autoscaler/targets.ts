// The target of an autoscaler: how it is found, its pods, and a target without pods.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { define } from "#test/stage/custom-resources.ts";
import { AWAY_MS, type ScenarioText } from "#test/stage/scenario.ts";
import {
  autoscale,
  conditionOf,
  cpuAt,
  LOST_TIME,
  labels,
  type PodUsage,
  serveUsage,
  startTarget,
  target,
  untilCalm,
  untilReason,
  untilSize,
  useCpu,
} from "./objects.ts";

export const targets: readonly ScenarioText[] = [
  {
    name: "horizontal-pod-autoscaler/2, horizontal-pod-autoscaler/events, horizontal-pod-autoscaler/tests tells that its target is missing, and finds it when it comes",
    chance: [
      {
        where: /(^events ›|events web\.\{\?\}) (FailedGetResourceMetric|FailedComputeMetricsReplicas)/,
        reason: "whether it looks between the target and the first sample of its pod",
      },
    ],
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      await autoscale(stage, { metrics: [cpuAt(50)] });
      const lost = await untilReason(stage, "AbleToScale", "FailedGetScale");
      const why = 'replicasets.apps "web" not found';
      expect(conditionOf(lost, "AbleToScale")).toMatchObject({
        status: "False",
        message: `the HPA controller was unable to get the target's current scale: ${why}`,
      });
      await stage.event("FailedGetScale", ({ type, message }) => type === "Warning" && message === why);
      await stage.settle();
      useCpu(usage, await startTarget(stage, 1), "50m");
      await untilReason(stage, "AbleToScale", "ReadyForNewScale");
      await untilCalm(stage, 1);
    },
  },
  {
    name: "horizontal-pod-autoscaler/2, horizontal-pod-autoscaler/tests tells that nothing serves the kind of its target",
    async play(stage) {
      await autoscale(stage, { scaleTargetRef: { apiVersion: "example.com/v1", kind: "Gadget", name: "web" } });
      const lost = await untilReason(stage, "AbleToScale", "FailedGetScale");
      const why = 'no matches for kind "Gadget" in group "example.com"';
      expect(conditionOf(lost, "AbleToScale")?.message).toContain(why);
    },
  },
  {
    name: "horizontal-pod-autoscaler/4, horizontal-pod-autoscaler/15, horizontal-pod-autoscaler/tests brings a target between its bounds without asking any metric",
    exceptions: [
      {
        where: /status.desiredReplicas/,
        reason: "horizontal.go tells the size that it set in the status after the scale",
      },
    ],
    async play(stage) {
      await serveUsage(stage, new Map());
      await target(stage, 5);
      await autoscale(stage, { maxReplicas: 3, metrics: [cpuAt(50)] });
      await untilSize(stage, 3);
      const above = "New size: 3; reason: Current number of replicas above Spec.MaxReplicas";
      await stage.event("SuccessfulRescale", ({ message }) => message === above);
      await untilReason(stage, "ScalingActive", "FailedGetResourceMetric");
      await stage.settle();
      await stage.of(HorizontalPodAutoscalers).patch("web", { spec: { maxReplicas: 6, minReplicas: 4 } });
      await untilSize(stage, 4);
      const below = "New size: 4; reason: Current number of replicas below Spec.MinReplicas";
      await stage.event("SuccessfulRescale", ({ message }) => message === below);
      await stage.of(HorizontalPodAutoscalers).until("web", ({ status }) => status?.currentReplicas === 4);
    },
  },
  {
    name: "horizontal-pod-autoscaler/4, horizontal-pod-autoscaler/tests leaves a target alone that was scaled to zero",
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      await target(stage, 0);
      await autoscale(stage, { metrics: [cpuAt(50)] });
      const disabled = await untilReason(stage, "ScalingActive", "ScalingDisabled");
      expect(conditionOf(disabled, "ScalingActive")?.status).toBe("False");
      await stage.settle();
      await stage.of(ReplicaSets).patch("web", { spec: { replicas: 1 } });
      await untilReason(stage, "ScalingActive", "FailedGetResourceMetric");
    },
  },
  {
    name: "horizontal-pod-autoscaler/5, horizontal-pod-autoscaler/events, horizontal-pod-autoscaler/tests does nothing for pods that another autoscaler scales, too",
    exceptions: LOST_TIME,
    chance: [
      {
        where:
          /\.message$|autoscalers one|(^events ›|events (one|two)\.\{\?\}) (AmbiguousSelector|FailedComputeMetricsReplicas)/,
        reason: "which of the two is named first, and which finds the other first",
      },
    ],
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 1), "100m");
      await autoscale(stage, { metrics: [cpuAt(50)], maxReplicas: 1 }, "one");
      await untilReason(stage, "ScalingActive", "ValidMetricFound", "one");
      await stage.settle();
      await autoscale(stage, { metrics: [cpuAt(50)] }, "two");
      await untilReason(stage, "ScalingActive", "AmbiguousSelector", "two");
      await untilReason(stage, "ScalingActive", "AmbiguousSelector", "one");
      await stage.event("AmbiguousSelector", ({ message = "" }) =>
        message.startsWith("pods by selector app=web are controlled by multiple HPAs: ["),
      );
      await stage.settle();
      await stage.of(HorizontalPodAutoscalers).delete("one");
      await untilSize(stage, 2);
      await untilCalm(stage, 2, "two");
    },
  },
  {
    name: "horizontal-pod-autoscaler/5, horizontal-pod-autoscaler/events, horizontal-pod-autoscaler/tests needs a selector of its target's pods",
    slow: true,
    async play(stage) {
      const Widgets = await define(stage, "Widget", {
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      });
      await stage.pass(31_000); // until the next discovery
      await stage.of(Widgets).create({ metadata: { name: "web", labels }, spec: { replicas: 1 } } as never);
      const scaleTargetRef = { apiVersion: `${Widgets.group}/v1`, kind: "Widget", name: "web" };
      await autoscale(stage, { scaleTargetRef, metrics: [cpuAt(50)] });
      const refused = await untilReason(stage, "ScalingActive", "InvalidSelector");
      const message = "the HPA target's scale is missing a selector";
      expect(conditionOf(refused, "ScalingActive")).toMatchObject({ status: "False", message });
      await stage.event("SelectorRequired", (event) => event.message === "selector is required");
      await stage.event("FailedComputeMetricsReplicas", (event) => event.message === "selector is required");
    },
  },
  {
    name: "horizontal-pod-autoscaler/1, horizontal-pod-autoscaler/9 follows a load that came while the API server was gone",
    alone: true,
    exceptions: LOST_TIME,
    chance: [
      {
        where: /^reads of phase 3 › list .*\/metrics\.k8s\.io\//,
        reason: "whether the aggregated API is available again when it first looks",
      },
      {
        where: /(^events ›|events web\.\{\?\}) (FailedGetScale|SuccessfulRescale › 0\.code$)/,
        reason:
          "what it told in vain comes seconds later, after the play or within it; of two Events with one name and time the first is kept",
      },
    ],
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      const pods = await target(stage, 2);
      useCpu(usage, pods, "75m");
      await autoscale(stage, { metrics: [cpuAt(75)] });
      await untilCalm(stage, 2);
      await stage.settle();
      await stage.outage(async () => {
        useCpu(usage, pods, "150m");
        await stage.pass(AWAY_MS);
      });
      await untilSize(stage, 4);
      await untilCalm(stage, 4);
    },
  },
];
