// Usage of the ranges. Upstream: pkg/controller/nodeipam/ipam/cidrset/metrics.go.

import { type CounterSeries, exponentialBuckets, type HistogramSeries, type Metrics } from "#base/metrics.ts";

/** As upstream's, a series is not shown before its first value. */
export interface CidrSetMetrics {
  readonly allocations: CounterSeries;
  readonly releases: CounterSeries;
  readonly usage: { set(share: number): void };
  readonly tries: HistogramSeries;
}

export function registerCidrSetMetrics(metrics: Metrics, clusterCidr: string, size: number): CidrSetMetrics {
  const series = [clusterCidr];
  const described = (name: string, help: string) =>
    ({ name: `node_ipam_controller_${name}`, help, stability: "ALPHA", labels: ["clusterCIDR"] }) as const;
  metrics.gauge(described("cirdset_max_cidrs", "Maximum number of CIDRs that can be allocated.")).set(size, series);
  const allocations = metrics.counter(
    described("cidrset_cidrs_allocations_total", "Counter measuring total number of CIDR allocations."),
  );
  const releases = metrics.counter(
    described("cidrset_cidrs_releases_total", "Counter measuring total number of CIDR releases."),
  );
  const usage = metrics.gauge(described("cidrset_usage_cidrs", "Gauge measuring percentage of allocated CIDRs."));
  const tries = metrics.histogram({
    // The help text is upstream's.
    ...described("cidrset_allocation_tries_per_request", "Number of endpoints added on each Service sync"),
    buckets: exponentialBuckets(1, 5, 5),
  });
  return {
    allocations: { inc: (amount) => allocations.inc(series, amount) },
    releases: { inc: (amount) => releases.inc(series, amount) },
    usage: { set: (share) => usage.set(share, series) },
    tries: { observe: (count) => tries.observe(count, series) },
  };
}
