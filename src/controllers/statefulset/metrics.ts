// The metrics of StatefulSets. Their values are set only with the gate MaxUnavailableStatefulSet. Upstream also defines
// a counter of skipped syncs, but never registers it.
// Upstream: pkg/controller/statefulset/metrics/metrics.go.

import type { Gauge, Metrics } from "#base/metrics.ts";

export interface StatefulSetMetrics {
  readonly maxUnavailable: Gauge;
  readonly unavailableReplicas: Gauge;
}

export function registerStatefulSetMetrics(metrics: Metrics): StatefulSetMetrics {
  const labels = ["statefulset_namespace", "statefulset_name", "pod_management_policy"];
  return {
    maxUnavailable: metrics.gauge({
      name: "statefulset_controller_statefulset_max_unavailable",
      help: "Maximum number of unavailable pods allowed during StatefulSet rolling updates",
      stability: "ALPHA",
      labels,
    }),
    unavailableReplicas: metrics.gauge({
      name: "statefulset_controller_statefulset_unavailable_replicas",
      help: "Current number of unavailable pods in StatefulSet",
      stability: "ALPHA",
      labels,
    }),
  };
}
