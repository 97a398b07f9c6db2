// Metrics of zone health, taints and durations of passes. Upstream: pkg/controller/nodelifecycle/metrics.go.

import { type Counter, exponentialBuckets, type Gauge, type HistogramSeries, type Metrics } from "#base/metrics.ts";

export interface NodeLifecycleMetrics {
  readonly zoneHealth: Gauge;
  readonly zoneSize: Gauge;
  readonly unhealthyNodes: Gauge;
  readonly evictions: Counter;
  readonly nodeDuration: HistogramSeries;
  readonly allNodesDuration: HistogramSeries;
}

export function registerNodeLifecycleMetrics(metrics: Metrics): NodeLifecycleMetrics {
  const labels = ["zone"];
  const gauge = (name: string, help: string): Gauge => metrics.gauge({ name, help, stability: "ALPHA", labels });
  const duration = (name: string, help: string, start: number): HistogramSeries =>
    metrics.histogram({ name, help, stability: "ALPHA", buckets: exponentialBuckets(start, 4, 8) }).with([]);
  return {
    zoneHealth: gauge("node_collector_zone_health", "Gauge measuring percentage of healthy nodes per zone."),
    zoneSize: gauge("node_collector_zone_size", "Gauge measuring number of registered Nodes per zones."),
    unhealthyNodes: gauge(
      "node_collector_unhealthy_nodes_in_zone",
      "Gauge measuring number of not Ready Nodes per zones.",
    ),
    evictions: metrics.counter({
      name: "node_collector_evictions_total",
      help: "Number of Node evictions that happened since current instance of NodeController started.",
      stability: "STABLE",
      labels,
    }),
    nodeDuration: duration(
      "node_collector_update_node_health_duration_seconds",
      "Duration in seconds for NodeController to update the health of a single node.",
      0.001,
    ),
    allNodesDuration: duration(
      "node_collector_update_all_nodes_health_duration_seconds",
      "Duration in seconds for NodeController to update the health of all nodes.",
      0.01,
    ),
  };
}
