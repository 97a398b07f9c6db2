// Metrics of the API server library that the original exports because it links that library. They are always zero,
// because neither program does this work. Dashboards and alerts expect them.
// Upstream: apiserver/pkg/{audit,cel,endpoints,server/options/encryptionconfig,storage/value,validation} and others;
// pkg/controller/nodelifecycle/metrics.go, until that controller registers its own.

import type { MetricOptions, Metrics } from "#base/metrics.ts";

interface LinkedMetric extends MetricOptions {
  readonly type: "counter" | "gauge" | "histogram";
  readonly buckets?: readonly number[];
}

const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** count bounds, each the product of the one before and the factor: this gives Go's last digits. */
function exponential(start: number, factor: number, count: number): readonly number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? 0) * factor);
  return bounds;
}

function badCertificates(prefix: string): readonly LinkedMetric[] {
  const either = "(either/or, based on the runtime environment)";
  return [
    {
      name: `${prefix}_x509_insecure_sha1_total`,
      type: "counter",
      stability: "ALPHA",
      help: `Counts the number of requests to servers with insecure SHA1 signatures in their serving certificate OR the number of connection failures due to the insecure SHA1 signatures ${either}`,
    },
    {
      name: `${prefix}_x509_missing_san_total`,
      type: "counter",
      stability: "ALPHA",
      help: `Counts the number of requests to servers missing SAN extension in their serving certificate OR the number of connection failures due to the lack of x509 certificate SAN extension missing ${either}`,
    },
  ];
}

const linked: readonly LinkedMetric[] = [
  ...badCertificates("apiserver_kube_aggregator"),
  ...badCertificates("apiserver_webhooks"),
  {
    name: "aggregator_discovery_aggregation_count_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of number of times discovery was aggregated",
  },
  {
    name: "aggregator_discovery_nopeer_requests_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of number of times no-peer (non peer-aggregated) discovery was requested",
  },
  {
    name: "aggregator_discovery_peer_aggregated_cache_hits_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of number of times discovery was served from peer-aggregated cache",
  },
  {
    name: "aggregator_discovery_peer_aggregated_cache_misses_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of number of times discovery was aggregated across all API servers",
  },
  {
    name: "apiextensions_apiserver_validation_ratcheting_seconds",
    type: "histogram",
    stability: "ALPHA",
    help: "Time for comparison of old to new for the purposes of CRDValidationRatcheting during an UPDATE in seconds.",
    buckets: exponential(0.00001, 4, 10),
  },
  {
    name: "apiserver_audit_event_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of audit events generated and sent to the audit backend.",
  },
  {
    name: "apiserver_audit_requests_rejected_total",
    type: "counter",
    stability: "ALPHA",
    help: "Counter of apiserver requests rejected due to an error in audit logging backend.",
  },
  {
    name: "apiserver_cel_compilation_duration_seconds",
    type: "histogram",
    stability: "BETA",
    help: "CEL compilation time in seconds.",
    buckets: DEFAULT_BUCKETS,
  },
  {
    name: "apiserver_cel_evaluation_duration_seconds",
    type: "histogram",
    stability: "BETA",
    help: "CEL evaluation time in seconds.",
    buckets: DEFAULT_BUCKETS,
  },
  {
    name: "apiserver_envelope_encryption_dek_cache_fill_percent",
    type: "gauge",
    stability: "ALPHA",
    help: "Percent of the cache slots currently occupied by cached DEKs.",
  },
  {
    name: "apiserver_storage_data_key_generation_duration_seconds",
    type: "histogram",
    stability: "ALPHA",
    help: "Latencies in seconds of data encryption key(DEK) generation operations.",
    buckets: exponential(0.000005, 2, 14),
  },
  {
    name: "apiserver_storage_data_key_generation_failures_total",
    type: "counter",
    stability: "ALPHA",
    help: "Total number of failed data encryption key(DEK) generation operations.",
  },
  {
    name: "apiserver_storage_envelope_transformation_cache_misses_total",
    type: "counter",
    stability: "ALPHA",
    help: "Total number of cache misses while accessing key decryption key(KEK).",
  },
  {
    name: "apiserver_validation_declarative_validation_mismatch_total",
    type: "counter",
    stability: "BETA",
    help: "Number of times declarative validation results differed from handwritten validation results for core types.",
  },
  {
    name: "apiserver_validation_declarative_validation_panic_total",
    type: "counter",
    stability: "BETA",
    help: "Number of times declarative validation has panicked during validation.",
  },
  {
    name: "apiserver_validation_duplicate_validation_error_total",
    type: "counter",
    stability: "INTERNAL",
    help: "Number of duplicate validation errors during validation.",
  },
  {
    name: "node_collector_update_all_nodes_health_duration_seconds",
    type: "histogram",
    stability: "ALPHA",
    help: "Duration in seconds for NodeController to update the health of all nodes.",
    buckets: exponential(0.01, 4, 8),
  },
  {
    name: "node_collector_update_node_health_duration_seconds",
    type: "histogram",
    stability: "ALPHA",
    help: "Duration in seconds for NodeController to update the health of a single node.",
    buckets: exponential(0.001, 4, 8),
  },
];

export function registerLinkedMetrics(metrics: Metrics): void {
  for (const { type, buckets = [], ...options } of linked) {
    if (type === "histogram") metrics.histogram({ ...options, buckets });
    else metrics[type](options);
  }
}
