// The metrics of autoscalers. Upstream: pkg/controller/podautoscaler/monitor.

import { type Counter, exponentialBuckets, type Gauge, type Histogram, type Metrics } from "#base/metrics.ts";

export type ErrorLabel = "none" | "internal" | "spec";

export interface AutoscalerMetrics {
  readonly reconciliations: Counter;
  readonly reconciliationSeconds: Histogram;
  readonly computations: Counter;
  readonly computationSeconds: Histogram;
  readonly autoscalers: Gauge;
  readonly desiredReplicas: Gauge;
}

/** The label of a change of the size. */
export function actionLabel(from: number, to: number): "scale_up" | "scale_down" | "none" {
  if (to > from) return "scale_up";
  return to < from ? "scale_down" : "none";
}

const PREFIX = "horizontal_pod_autoscaler_controller_";
const ACTION = "The label 'action' should be either 'scale_down', 'scale_up', or 'none'.";
const ERROR = "the label 'error' should be either 'spec', 'internal', or 'none'.";
const FIRST =
  "Note that if both spec and internal errors happen during a reconciliation, the first one to occur is reported in `error` label.";
const TYPE = "The label 'metric_type' corresponds to HPA.spec.metrics[*].type";

export function registerAutoscalerMetrics(metrics: Metrics): AutoscalerMetrics {
  const buckets = exponentialBuckets(0.001, 2, 15);
  return {
    reconciliations: metrics.counter({
      name: `${PREFIX}reconciliations_total`,
      help: `Number of reconciliations of HPA controller. ${ACTION} Also, ${ERROR} ${FIRST}`,
      stability: "BETA",
      labels: ["action", "error"],
    }),
    reconciliationSeconds: metrics.histogram({
      name: `${PREFIX}reconciliation_duration_seconds`,
      help: `The time(seconds) that the HPA controller takes to reconcile once. ${ACTION} Also, ${ERROR} ${FIRST}`,
      stability: "BETA",
      labels: ["action", "error"],
      buckets,
    }),
    computations: metrics.counter({
      name: `${PREFIX}metric_computation_total`,
      help: `Number of metric computations. ${ACTION} Also, ${ERROR} ${TYPE}`,
      stability: "BETA",
      labels: ["action", "error", "metric_type"],
    }),
    computationSeconds: metrics.histogram({
      name: `${PREFIX}metric_computation_duration_seconds`,
      help: `The time(seconds) that the HPA controller takes to calculate one metric. ${ACTION} The ${ERROR.slice(4)} ${TYPE}`,
      stability: "BETA",
      labels: ["action", "error", "metric_type"],
      buckets,
    }),
    autoscalers: metrics.gauge({
      name: `${PREFIX}num_horizontal_pod_autoscalers`,
      help: "Current number of controlled HPA objects.",
      stability: "ALPHA",
    }),
    desiredReplicas: metrics.gauge({
      name: `${PREFIX}desired_replicas`,
      help: "Current desired replica count for HPA objects.",
      stability: "ALPHA",
      labels: ["namespace", "hpa_name"],
    }),
  };
}
