// Counts forced deletions of pods by reason. Upstream: pkg/controller/podgc/metrics/metrics.go.

import type { Counter, Metrics } from "#base/metrics.ts";

export type Reason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

export interface PodGcMetrics {
  readonly deletions: Counter;
  readonly errors: Counter;
}

export function registerPodGcMetrics(metrics: Metrics): PodGcMetrics {
  const labels = ["namespace", "reason"];
  return {
    deletions: metrics.counter({
      name: "pod_gc_collector_force_delete_pods_total",
      help: "Number of pods that are being forcefully deleted since the Pod GC Controller started.",
      stability: "ALPHA",
      labels,
    }),
    errors: metrics.counter({
      name: "pod_gc_collector_force_delete_pod_errors_total",
      help: "Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
      stability: "ALPHA",
      labels,
    }),
  };
}
