// The informer_* metrics. Names, help texts and buckets are API.
// Upstream: component-base/metrics/prometheus/clientgo/fifo/metrics.go

import type { GroupVersionResource } from "#api/object.ts";
import type { Metrics } from "#base/metrics.ts";

const LABELS = ["name", "group", "version", "resource"];
const LATENCY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts for one informer. */
export interface InformerMeter {
  /** A batch was delivered to all handlers. */
  noteDelivery(ms: number): void;
  /** Removes the series of an informer that has stopped. */
  close(): void;
}

/** `resource` is the value of the label, which may differ from the resource's name. */
export function informerMeter(metrics: Metrics, id: GroupVersionResource & { readonly name: string }): InformerMeter {
  const queued = metrics.gauge({
    name: "informer_queued_items",
    help: "Number of items currently queued in the FIFO.",
    stability: "ALPHA",
    labels: LABELS,
  });
  const latency = metrics.histogram({
    name: "informer_processing_latency_seconds",
    help: "Time taken to process events after popping from the queue.",
    stability: "ALPHA",
    labels: LABELS,
    buckets: LATENCY_BUCKETS,
  });
  const labels = [id.name, id.group, id.version, id.resource];
  // No event ever waits between reflector and handlers, so this stays 0.
  queued.set(0, labels);
  return {
    noteDelivery: (ms) => latency.observe(ms / 1000, labels),
    close: () => queued.remove(labels),
  };
}
