// The limits and the speed of an autoscaler.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Excuse, ScenarioText } from "#test/stage/scenario.ts";
import {
  autoscale,
  conditionOf,
  cpuAt,
  LOST_TIME,
  type PodUsage,
  serveExternal,
  serveUsage,
  target,
  untilCalm,
  untilReason,
  untilSize,
  useCpu,
} from "./objects.ts";

const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
};

/** A manager that dies right after a scale leaves the previous status. */
const ZERO: readonly Excuse[] = [
  {
    where: /HorizontalPodAutoscaler \{play\} web › status\.(conditions|currentMetrics|lastScaleTime)/,
    reason: "horizontal.go tells whether a zero is its own after the scale; whoever finds it otherwise leaves it alone",
  },
];

const FORGOTTEN = "horizontal.go keeps scaleUpEvents in memory: a new manager allows what the old one had used up";

export const limits: readonly ScenarioText[] = [
  {
    name: "horizontal-pod-autoscaler/13, horizontal-pod-autoscaler/tests grows to at most four pods or twice the size at once",
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 1), "500m");
      await autoscale(stage, { metrics: [cpuAt(100)] });
      const reason = "cpu resource utilization (percentage of request) above target";
      await stage.event("SuccessfulRescale", ({ message }) => message === `New size: 4; reason: ${reason}`);
      await untilSize(stage, 5);
      await untilCalm(stage, 5);
      await stage.calm(async () => {
        const statuses = (await stage.writes()).filter(
          ({ resource }) => resource === "horizontalpodautoscalers/status",
        );
        expect(statuses[0]?.body).toMatchObject({
          status: { conditions: [{}, {}, { type: "ScalingLimited", status: "True", reason: "ScaleUpLimit" }] },
        });
      });
    },
  },
  {
    name: "horizontal-pod-autoscaler/3, horizontal-pod-autoscaler/13, horizontal-pod-autoscaler/flags, horizontal-pod-autoscaler/tests shrinks a target only after the window, and not below the minimum",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 4), "1m");
      await autoscale(stage, { metrics: [cpuAt(50)], minReplicas: 2 });
      const waiting = await untilReason(stage, "AbleToScale", "ScaleDownStabilized");
      expect(conditionOf(waiting, "AbleToScale")?.message).toBe(
        "recent recommendations were higher than current one, applying the highest recent recommendation",
      );
      await untilSize(stage, 2);
      await untilCalm(stage, 2);
      const shrunk = await untilReason(stage, "ScalingLimited", "TooFewReplicas");
      expect(conditionOf(shrunk, "ScalingLimited")).toMatchObject({ status: "True", reason: "TooFewReplicas" });
      await stage.event(
        "SuccessfulRescale",
        ({ message }) => message === "New size: 2; reason: All metrics below target",
      );
    },
  },
  {
    name: "horizontal-pod-autoscaler/14, horizontal-pod-autoscaler/tests grows no faster than its policy allows",
    exceptions: [
      { where: /end state › HorizontalPodAutoscaler .* web › status\.(current|desired)Replicas/, reason: FORGOTTEN },
      {
        where: /end state › ReplicaSet .* web › .*(generation|replicas|Replicas|observedGeneration)$/,
        reason: FORGOTTEN,
      },
      { where: /end state › Pod .* web-/, reason: FORGOTTEN },
      { where: /creates and deletes › .*create pods .*web-/, reason: FORGOTTEN },
    ],
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 1), "500m");
      const scaleUp = { policies: [{ type: "Pods", value: 1, periodSeconds: 1800 }] };
      await autoscale(stage, { metrics: [cpuAt(50)], behavior: { scaleUp } });
      await stage.of(ReplicaSets).until("web", ({ spec }) => (spec?.replicas ?? 0) >= 2);
      await stage.calm(async () => {
        const limited = await untilReason(stage, "ScalingLimited", "ScaleUpLimit");
        expect(conditionOf(limited, "ScalingLimited")?.status).toBe("True");
        await stage.pass(3000);
        expect((await stage.of(Pods).list()).length).toBe(2);
      });
    },
  },
  {
    name: "horizontal-pod-autoscaler/14, horizontal-pod-autoscaler/tests never shrinks where its behaviour forbids it",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 3), "1m");
      const scaleDown = { selectPolicy: "Disabled", stabilizationWindowSeconds: 0 };
      await autoscale(stage, { metrics: [cpuAt(50)], behavior: { scaleDown } });
      await untilReason(stage, "ScalingLimited", "ScaleDownLimit");
      await stage.settle();
      await stage
        .of(HorizontalPodAutoscalers)
        .patch("web", { spec: { behavior: { scaleDown: { selectPolicy: "Max" } } } });
      await untilSize(stage, 1);
      await untilCalm(stage, 1);
    },
  },
  {
    name: "horizontal-pod-autoscaler/12, horizontal-pod-autoscaler/tests tolerates what its behaviour tolerates",
    exceptions: LOST_TIME,
    async play(stage) {
      const usage: PodUsage = new Map();
      await serveUsage(stage, usage);
      useCpu(usage, await target(stage, 2), "70m");
      await autoscale(stage, { metrics: [cpuAt(50)], behavior: { scaleUp: { tolerance: "500m" } } });
      await untilReason(stage, "ScalingActive", "ValidMetricFound");
      await stage.settle();
      await stage.calm(async () => expect((await stage.of(Pods).list()).length).toBe(2));
      await stage.of(HorizontalPodAutoscalers).patch("web", { spec: { behavior: { scaleUp: { tolerance: "300m" } } } });
      await untilSize(stage, 3);
      await untilCalm(stage, 3);
    },
  },
  {
    name: "horizontal-pod-autoscaler/16, horizontal-pod-autoscaler/about, horizontal-pod-autoscaler/tests scales an idle target to zero, and tells that it did",
    profile: "scale-to-zero",
    exceptions: ZERO,
    async play(stage) {
      await serveExternal(stage, new Map([["queue", ["0"]]]));
      await target(stage, 1);
      await autoscale(stage, { metrics: [queue], minReplicas: 0 });
      await untilSize(stage, 0);
      await stage.calm(async () => {
        const empty = await untilReason(stage, "ScaledToZero", "ScaledToZero");
        expect(conditionOf(empty, "ScaledToZero")?.status).toBe("True");
      });
    },
  },
  {
    name: "horizontal-pod-autoscaler/16, horizontal-pod-autoscaler/tests brings a target back that it scaled to zero, and no other",
    profile: "scale-to-zero",
    exceptions: ZERO,
    async play(stage) {
      await serveExternal(stage, new Map([["queue", ["2"]]]));
      await target(stage, 0);
      await autoscale(stage, { metrics: [queue], minReplicas: 0 });
      await untilReason(stage, "ScalingActive", "ScalingDisabled");
      await stage.settle();
      const ours = { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" };
      await stage.of(HorizontalPodAutoscalers).updateStatus("web", (autoscaler) => ({
        ...autoscaler,
        status: {
          desiredReplicas: 0,
          ...autoscaler.status,
          conditions: [...(autoscaler.status?.conditions ?? []), ours],
        },
      }));
      await untilSize(stage, 2);
      await stage.of(HorizontalPodAutoscalers).until("web", ({ status }) => status?.currentReplicas === 2);
    },
  },
];
