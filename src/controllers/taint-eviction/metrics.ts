// Counts and delays of deletions because of taints. Upstream: pkg/controller/tainteviction/metrics.

import type { CounterSeries, HistogramSeries, Metrics } from "#base/metrics.ts";

export interface TaintEvictionMetrics {
  readonly deletions: CounterSeries;
  readonly latency: HistogramSeries;
}

export function registerTaintEvictionMetrics(metrics: Metrics): TaintEvictionMetrics {
  const deletions = metrics.counter({
    name: "taint_eviction_controller_pod_deletions_total",
    help: "Total number of Pods deleted by TaintEvictionController since its start.",
    stability: "ALPHA",
  });
  const latency = metrics.histogram({
    name: "taint_eviction_controller_pod_deletion_duration_seconds",
    help: "Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.",
    stability: "ALPHA",
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  });
  return { deletions: deletions.with([]), latency: latency.with([]) };
}
