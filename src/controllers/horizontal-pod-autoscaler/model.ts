// Shared types of the steps of an autoscaler's sync: its objects, settings and dependencies.

import type { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import type { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { BackoffDeps } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { Scales } from "#kit/scales.ts";
import type { AutoscalerMetrics } from "./metrics.ts";
import type { MetricsApi } from "./metrics-api.ts";
import type { ScalingHistory } from "./scaling-history.ts";
import type { TargetSelectors } from "./target-selectors.ts";

export type Autoscaler = ObjectOf<typeof HorizontalPodAutoscalers>;
export type StoredPod = ObjectOf<typeof Pods>;

export interface AutoscalerSettings {
  /** --horizontal-pod-autoscaler-downscale-stabilization */
  readonly downscaleWindowMs: number;
  /** --horizontal-pod-autoscaler-tolerance */
  readonly tolerance: number;
  /** --horizontal-pod-autoscaler-cpu-initialization-period */
  readonly cpuInitializationMs: number;
  /** --horizontal-pod-autoscaler-initial-readiness-delay */
  readonly initialReadinessMs: number;
}

export interface Deps extends BackoffDeps {
  readonly log: Logger;
  readonly gates: FeatureGateReader;
  readonly settings: AutoscalerSettings;
  readonly metrics: AutoscalerMetrics;
  readonly recorder: EventRecorder;
  readonly autoscalers: SharedInformer<Autoscaler>;
  readonly pods: SharedInformer<StoredPod>;
  readonly autoscalersApi: Pick<ResourceClient<Autoscaler>, "updateStatus">;
  readonly scales: Pick<Scales, "get" | "update">;
  readonly restMapper: Pick<RestMapper, "mappings">;
  readonly metricsApi: MetricsApi;
  readonly selectors: TargetSelectors;
  /** By the keys of the autoscalers. */
  readonly histories: Map<string, ScalingHistory>;
}
