// Upstream: pkg/controller/garbagecollector/metrics/metrics.go.

import type { Counter, Metrics } from "#base/metrics.ts";

/** Counts failed rounds of discovery and monitors. */
export function registerSyncErrors(metrics: Metrics): Counter {
  return metrics.counter({
    name: "garbagecollector_controller_resources_sync_error_total",
    help: "Number of garbage collector resources sync errors",
    stability: "ALPHA",
  });
}
