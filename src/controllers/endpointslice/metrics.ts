// The metrics of EndpointSlices. Upstream: k8s.io/endpointslice/metrics.

import type { ObjectKey } from "#api/object.ts";
import { type Counter, exponentialBuckets, type Gauge, type Histogram, type Metrics } from "#base/metrics.ts";
import { Efficiency, efficiencyGauges } from "#families/slices/efficiency.ts";

const PREFIX = "endpoint_slice_controller_";
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface SliceMetrics {
  readonly added: Histogram;
  readonly removed: Histogram;
  readonly changes: Counter;
  readonly changedPerSync: Histogram;
  readonly syncs: Counter;
  readonly efficiency: Efficiency;
  readonly distributions: Distributions;
}

export function registerSliceMetrics(metrics: Metrics, endpointsMax: number): SliceMetrics {
  const perSync = (name: string, help: string): Histogram => {
    const buckets = exponentialBuckets(2, 2, 15);
    return metrics.histogram({ name: PREFIX + name, help, stability: "BETA", labels: [], buckets });
  };
  const gauges = efficiencyGauges(metrics, PREFIX, "BETA");
  return {
    added: perSync("endpoints_added_per_sync", "Number of endpoints added on each Service sync"),
    removed: perSync("endpoints_removed_per_sync", "Number of endpoints removed on each Service sync"),
    changes: metrics.counter({
      name: `${PREFIX}changes`,
      help: "Number of EndpointSlice changes",
      stability: "ALPHA",
      labels: ["operation"],
    }),
    changedPerSync: metrics.histogram({
      name: `${PREFIX}endpointslices_changed_per_sync`,
      help: "Number of EndpointSlices changed on each Service sync",
      stability: "ALPHA",
      labels: ["topology", "traffic_distribution"],
      buckets: DEFAULT_BUCKETS,
    }),
    syncs: metrics.counter({
      name: `${PREFIX}syncs`,
      help: "Number of EndpointSlice syncs",
      stability: "ALPHA",
      labels: ["result"],
    }),
    efficiency: new Efficiency(gauges, { endpointsMax, slicesMin: 1 }),
    distributions: new Distributions(
      metrics.gauge({
        name: `${PREFIX}services_count_by_traffic_distribution`,
        help: "Number of Services using some specific trafficDistribution",
        stability: "BETA",
        labels: ["traffic_distribution"],
      }),
    ),
  };
}

/** The number of Services per traffic distribution. A value that was used once is shown from then on. */
class Distributions {
  readonly #services = new Map<string, Set<ObjectKey>>();
  readonly #gauge: Gauge;

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  set(service: ObjectKey, distribution: string | undefined): void {
    if (distribution !== undefined && !this.#services.has(distribution)) this.#services.set(distribution, new Set());
    for (const [name, services] of this.#services) {
      if (name === distribution) services.add(service);
      else services.delete(service);
      this.#gauge.set(services.size, [name]);
    }
  }
}
