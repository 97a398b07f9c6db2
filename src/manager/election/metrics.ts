// Upstream: component-base/metrics/prometheus/clientgo/leaderelection/metrics.go.

import type { Counter, Gauge, Metrics } from "#base/metrics.ts";

export interface ElectionMetrics {
  readonly masterStatus: Gauge;
  readonly slowPath: Counter;
}

export function registerElectionMetrics(metrics: Metrics): ElectionMetrics {
  return {
    masterStatus: metrics.gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
      stability: "ALPHA",
      labels: ["name"],
    }),
    slowPath: metrics.counter({
      name: "leader_election_slowpath_total",
      help: "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.",
      stability: "ALPHA",
      labels: ["name"],
    }),
  };
}
