// Metrics of authentication and authorization on the daemon's port. Names, help and buckets are upstream's.
// Upstream: apiserver/pkg/endpoints/filters/metrics.go; authentication/{authenticatorfactory,token/cache,request/x509};
// authorization/authorizerfactory.

import type { Counter, Gauge, Histogram, Metrics } from "#base/metrics.ts";
import { exponentialBuckets } from "#base/metrics.ts";

const REQUEST_BUCKETS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
const CACHE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const HOUR = 3600;
const DAY = 24 * HOUR;
const EXPIRY_BUCKETS = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];

/** Durations and counts of reviews by the API server. */
export interface ReviewMetrics {
  readonly requests: Counter;
  readonly durationSeconds: Histogram;
}

export interface AuthMetrics {
  readonly userRequests: Counter;
  readonly authenticationAttempts: Counter;
  readonly authenticationSeconds: Histogram;
  readonly authorizationAttempts: Counter;
  readonly authorizationSeconds: Histogram;
  readonly certificateExpirySeconds: Histogram;
  readonly tokenCache: {
    readonly requests: Counter;
    readonly requestSeconds: Histogram;
    readonly fetches: Counter;
    readonly activeFetches: Gauge;
  };
  readonly tokenReviews: ReviewMetrics;
  readonly accessReviews: ReviewMetrics;
}

export function registerAuthMetrics(metrics: Metrics): AuthMetrics {
  const counter = (name: string, help: string, label: string): Counter =>
    metrics.counter({ name, help, stability: "ALPHA", labels: [label] });
  const histogram = (name: string, help: string, label: string, buckets: readonly number[]): Histogram =>
    metrics.histogram({ name, help, stability: "ALPHA", labels: [label], buckets });
  const byResult = exponentialBuckets(0.001, 2, 15);
  const reviews = (part: string): ReviewMetrics => ({
    requests: counter(
      `apiserver_delegated_${part}_request_total`,
      "Number of HTTP requests partitioned by status code.",
      "code",
    ),
    durationSeconds: histogram(
      `apiserver_delegated_${part}_request_duration_seconds`,
      "Request latency in seconds. Broken down by status code.",
      "code",
      REQUEST_BUCKETS,
    ),
  });
  return {
    userRequests: counter(
      "authenticated_user_requests",
      "Counter of authenticated requests broken out by username.",
      "username",
    ),
    authenticationAttempts: counter("authentication_attempts", "Counter of authenticated attempts.", "result"),
    authenticationSeconds: histogram(
      "authentication_duration_seconds",
      "Authentication duration in seconds broken out by result.",
      "result",
      byResult,
    ),
    authorizationAttempts: counter(
      "authorization_attempts_total",
      "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
      "result",
    ),
    authorizationSeconds: histogram(
      "authorization_duration_seconds",
      "Authorization duration in seconds broken out by result.",
      "result",
      byResult,
    ),
    certificateExpirySeconds: metrics.histogram({
      name: "apiserver_client_certificate_expiration_seconds",
      help: "Distribution of the remaining lifetime on the certificate used to authenticate a request.",
      stability: "ALPHA",
      buckets: EXPIRY_BUCKETS,
    }),
    tokenCache: {
      requests: counter("authentication_token_cache_request_total", "", "status"),
      requestSeconds: histogram("authentication_token_cache_request_duration_seconds", "", "status", CACHE_BUCKETS),
      fetches: counter("authentication_token_cache_fetch_total", "", "status"),
      activeFetches: metrics.gauge({
        name: "authentication_token_cache_active_fetch_count",
        help: "",
        stability: "ALPHA",
        labels: ["status"],
      }),
    },
    tokenReviews: reviews("authn"),
    accessReviews: reviews("authz"),
  };
}

/** A label with few values: only well-known user names are kept. */
export function userLabel(name: string): string {
  const known = ["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"];
  if (known.includes(name)) return name;
  return name.includes("@") ? "email_id" : "other";
}
