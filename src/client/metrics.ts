// The rest_client_* metrics of requests. Names, help texts and buckets are API.

import type { Counter, Histogram, Metrics } from "#base/metrics.ts";

// Upstream: component-base/metrics/prometheus/restclient/metrics.go
const LATENCY_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const SIZE_BUCKETS = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

export interface ClientMetrics {
  readonly requests: Counter;
  readonly retries: Counter;
  readonly durationSeconds: Histogram;
  readonly rateLimiterSeconds: Histogram;
  readonly requestBytes: Histogram;
  readonly responseBytes: Histogram;
}

export function clientMetrics(metrics: Metrics): ClientMetrics {
  const byVerb = (name: string, help: string, buckets: readonly number[]): Histogram =>
    metrics.histogram({ name, help, buckets, stability: "ALPHA", labels: ["verb", "host"] });
  return {
    requests: metrics.counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host.",
      stability: "ALPHA",
      labels: ["code", "method", "host"],
    }),
    retries: metrics.counter({
      name: "rest_client_request_retries_total",
      help: "Number of request retries, partitioned by status code, verb, and host.",
      stability: "ALPHA",
      labels: ["code", "verb", "host"],
    }),
    durationSeconds: byVerb(
      "rest_client_request_duration_seconds",
      "Request latency in seconds. Broken down by verb, and host.",
      LATENCY_BUCKETS,
    ),
    rateLimiterSeconds: byVerb(
      "rest_client_rate_limiter_duration_seconds",
      "Client side rate limiter latency in seconds. Broken down by verb, and host.",
      LATENCY_BUCKETS,
    ),
    requestBytes: byVerb(
      "rest_client_request_size_bytes",
      "Request size in bytes. Broken down by verb and host.",
      SIZE_BUCKETS,
    ),
    responseBytes: byVerb(
      "rest_client_response_size_bytes",
      "Response size in bytes. Broken down by verb and host.",
      SIZE_BUCKETS,
    ),
  };
}
