// /metrics: the Prometheus text format, or protobuf for clients that prefer it, compressed on request.
// Upstream: component-base/metrics/http.go; github.com/prometheus/client_golang/prometheus/promhttp.

import type { HttpResponse } from "#base/http.ts";
import { headerValue } from "#client/headers.ts";
import { prometheusProtobuf } from "./prometheus-protobuf.ts";
import type { DaemonRequest } from "./request.ts";
import { acceptClauses } from "./responses.ts";

export interface MetricsPageFormat {
  readonly processStartSeconds: number;
  gzip(bytes: Uint8Array): Uint8Array;
}

const TEXT = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
const PROTOBUF =
  "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited; escaping=underscores";

/** text: all metrics in the text format, from which the protobuf form is made. */
export function metricsResponse(
  text: string,
  format: MetricsPageFormat,
  { headers }: Pick<DaemonRequest, "headers">,
): HttpResponse {
  const isProtobuf = prefersProtobuf(headerValue(headers, "accept"));
  const bytes = isProtobuf ? prometheusProtobuf(text) : new TextEncoder().encode(text);
  const isGzip = acceptsGzip(headerValue(headers, "accept-encoding"));
  return {
    status: 200,
    headers: {
      "content-type": isProtobuf ? PROTOBUF : TEXT,
      "process-start-time-unix": String(Math.trunc(format.processStartSeconds)),
      ...(isGzip ? { "content-encoding": "gzip" } : {}),
    },
    body: { kind: "bytes", bytes: isGzip ? format.gzip(bytes) : bytes },
  };
}

function prefersProtobuf(accept: string): boolean {
  for (const { type, parameters } of acceptClauses(accept)) {
    const version = parameters.get("version");
    if (type === "text/plain" && (version === undefined || version === "0.0.4")) return false;
    if (type !== "application/vnd.google.protobuf") continue;
    const isFamily = parameters.get("proto") === "io.prometheus.client.MetricFamily";
    if (isFamily && parameters.get("encoding") === "delimited") return true;
  }
  return false;
}

function acceptsGzip(acceptEncoding: string): boolean {
  return acceptClauses(acceptEncoding).some(({ type, quality }) => type === "gzip" && quality > 0);
}
