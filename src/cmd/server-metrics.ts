// The metrics of an API server in this process, and their page, in the same formats as the daemon's.

import { gzipSync } from "node:zlib";
import type { ApiServerOptions } from "#apiserver/create-api-server.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { metricsResponse } from "#manager/serving/metrics-page.ts";
import { processStartSeconds, registerProcessMetrics } from "#platform/system/process-metrics.ts";
import { kubernetesVersion } from "./version.ts";

export function serverMetrics(): Required<Pick<ApiServerOptions, "metrics" | "metricsPage">> {
  const metrics = new MetricRegistry({ version: kubernetesVersion.slice(1) });
  const startSeconds = processStartSeconds();
  registerProcessMetrics(metrics, startSeconds);
  const format = { processStartSeconds: startSeconds, gzip: (bytes: Uint8Array): Uint8Array => gzipSync(bytes) };
  return { metrics, metricsPage: (request) => metricsResponse(metrics.render(), format, request) };
}
