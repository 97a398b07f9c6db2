// Upstream: pkg/controller/certificates/rootcacertpublisher/metrics.go.

import { ApiError } from "#api/status-error.ts";
import { type Counter, exponentialBuckets, type Histogram, type Metrics } from "#base/metrics.ts";

export interface PublisherMetrics {
  readonly syncs: Counter;
  readonly syncSeconds: Histogram;
}

export function registerPublisherMetrics(metrics: Metrics): PublisherMetrics {
  return {
    syncs: metrics.counter({
      name: "root_ca_cert_publisher_sync_total",
      help: "Number of namespace syncs happened in root ca cert publisher.",
      stability: "ALPHA",
      labels: ["code"],
    }),
    syncSeconds: metrics.histogram({
      name: "root_ca_cert_publisher_sync_duration_seconds",
      help: "Number of namespace syncs happened in root ca cert publisher.",
      stability: "ALPHA",
      labels: ["code"],
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
  };
}

/** The API server's code; 500 for whatever has none. */
export function failureCode(error: unknown): string {
  return error instanceof ApiError && error.code !== 0 ? String(error.code) : "500";
}
