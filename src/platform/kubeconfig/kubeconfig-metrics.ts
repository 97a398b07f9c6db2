// The rest_client_* metrics of credentials and transports. Names, help texts and buckets are API.
// Upstream: component-base/metrics/prometheus/restclient/metrics.go
import type { Clock } from "#base/clock.ts";
import type { Metrics } from "#base/metrics.ts";

/** From ten minutes to four years. */
const AGE_BUCKETS = [600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000];

export interface ExecMetrics {
  noteCall(code: number, status: string): void;
  /** A plugin's certificate replaced the old one, if there was one. */
  noteCertificate(old: Validity | undefined, current: Validity | undefined): void;
}

/** Validity period of a certificate, in epoch milliseconds. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface TransportMetrics {
  noteCreated(): void;
  noteClosed(): void;
  noteCaReload(result: string, reason: string): void;
}

export interface ConnectionMetrics {
  readonly exec: ExecMetrics;
  readonly transport: TransportMetrics;
}

/** One per registry: the gauges cover all its transports. */
const shared = new WeakMap<Metrics, ConnectionMetrics>();

export function connectionMetrics(metrics: Metrics, clock: Clock): ConnectionMetrics {
  let found = shared.get(metrics);
  if (!found) {
    found = { exec: execMetrics(metrics, clock), transport: transportMetrics(metrics) };
    shared.set(metrics, found);
  }
  return found;
}

function execMetrics(metrics: Metrics, clock: Clock): ExecMetrics {
  let expiresAt: number | undefined;
  metrics.gaugeFunc(
    {
      name: "rest_client_exec_plugin_ttl_seconds",
      help: "Gauge of the shortest TTL (time-to-live) of the client certificate(s) managed by the auth exec plugin. The value is in seconds until certificate expiry (negative if already expired). If auth exec plugins are unused or manage no TLS certificates, the value will be +INF.",
      stability: "ALPHA",
    },
    () => [
      { labelValues: [], value: expiresAt === undefined ? Number.POSITIVE_INFINITY : (expiresAt - clock.now()) / 1000 },
    ],
  );
  const rotationAge = metrics.histogram({
    name: "rest_client_exec_plugin_certificate_rotation_age",
    help: "Histogram of the number of seconds the last auth exec plugin client certificate lived before being rotated. If auth exec plugin client certificates are unused, histogram will contain no data.",
    stability: "ALPHA",
    buckets: AGE_BUCKETS,
  });
  const calls = metrics.counter({
    name: "rest_client_exec_plugin_call_total",
    help: "Number of calls to an exec plugin, partitioned by the type of event encountered (no_error, plugin_execution_error, plugin_not_found_error, client_internal_error) and an optional exit code. The exit code will be set to 0 if and only if the plugin call was successful.",
    stability: "ALPHA",
    labels: ["code", "call_status"],
  });
  return {
    noteCall: (code, status) => calls.inc([String(code), status]),
    noteCertificate(old, current) {
      const isRotated =
        old !== undefined && (old.notBefore !== current?.notBefore || old.notAfter !== current.notAfter);
      if (isRotated) rotationAge.observe((clock.now() - old.notBefore) / 1000);
      expiresAt = current?.notAfter;
    },
  };
}

function transportMetrics(metrics: Metrics): TransportMetrics {
  const entries = metrics.gauge({
    name: "rest_client_transport_cache_entries",
    help: "Number of transport entries in the internal cache.",
    stability: "ALPHA",
  });
  const created = metrics.counter({
    name: "rest_client_transport_create_calls_total",
    help: "Number of calls to get a new transport, partitioned by the result of the operation hit: obtained from the cache, miss: created and added to the cache, miss-gc: recreated and added back to the cache after being garbage collected, uncacheable: created and not cached",
    stability: "ALPHA",
    labels: ["result"],
  });
  const caReloads = metrics.counter({
    name: "rest_client_transport_ca_reload_total",
    help: "Number of times a CA reload is attempted, partitioned by the result and reason for the reload attempt",
    stability: "ALPHA",
    labels: ["result", "reason"],
  });
  metrics.counter({
    name: "rest_client_transport_cert_rotation_gc_calls_total",
    help: "Number of times a cert rotation goroutine cancel func is called via GC cleanup of the associated transport",
    stability: "ALPHA",
  });
  metrics.counter({
    name: "rest_client_transport_cache_gc_calls_total",
    help: "Number of times a GC cleanup attempts to delete a transport cache entry, partitioned by the result: deleted, skipped",
    stability: "ALPHA",
    labels: ["result"],
  });
  return {
    noteCreated() {
      entries.add(1);
      created.inc(["miss"]);
    },
    noteClosed: () => entries.add(-1),
    noteCaReload: (result, reason) => caReloads.inc([result, reason]),
  };
}
