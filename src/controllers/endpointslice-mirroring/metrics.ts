// The metrics of mirrored slices. Upstream: pkg/controller/endpointslicemirroring/metrics.

import { type Counter, exponentialBuckets, type Histogram, type Metrics } from "#base/metrics.ts";
import { Efficiency, efficiencyGauges } from "#families/slices/efficiency.ts";

const PREFIX = "endpoint_slice_mirroring_controller_";

export interface MirroringMetrics {
  readonly added: Histogram;
  readonly updated: Histogram;
  readonly removed: Histogram;
  readonly skipped: Histogram;
  readonly durationSeconds: Histogram;
  readonly changes: Counter;
  readonly efficiency: Efficiency;
}

export function registerMirroringMetrics(metrics: Metrics, endpointsMax: number): MirroringMetrics {
  const histogram = (name: string, help: string, firstBound: number): Histogram => {
    const buckets = exponentialBuckets(firstBound, 2, 15);
    return metrics.histogram({ name: PREFIX + name, help, stability: "ALPHA", labels: [], buckets });
  };
  const gauges = efficiencyGauges(metrics, PREFIX, "ALPHA");
  return {
    added: histogram("endpoints_added_per_sync", "Number of endpoints added on each Endpoints sync", 2),
    updated: histogram("endpoints_updated_per_sync", "Number of endpoints updated on each Endpoints sync", 2),
    removed: histogram("endpoints_removed_per_sync", "Number of endpoints removed on each Endpoints sync", 2),
    skipped: histogram(
      "addresses_skipped_per_sync",
      "Number of addresses skipped on each Endpoints sync due to being invalid or exceeding MaxEndpointsPerSubset",
      2,
    ),
    durationSeconds: histogram("endpoints_sync_duration", "Duration of syncEndpoints() in seconds", 0.001),
    changes: metrics.counter({
      name: `${PREFIX}changes`,
      help: "Number of EndpointSlice changes",
      stability: "ALPHA",
      labels: ["operation"],
    }),
    efficiency: new Efficiency(gauges, { endpointsMax, slicesMin: 0 }),
  };
}
