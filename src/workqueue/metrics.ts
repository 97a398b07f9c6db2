// The workqueue_* metrics of a named queue.
// Upstream: k8s.io/client-go/util/workqueue/metrics.go, k8s.io/component-base/metrics/prometheus/workqueue/metrics.go
import type { Clock } from "#base/clock.ts";
import { exponentialBuckets, type MetricOptions, type Metrics, noMetrics } from "#base/metrics.ts";

export interface QueueMetricsOptions {
  readonly clock: Clock;
  /** Without a name there are no metrics. */
  readonly name?: string;
  readonly metrics?: Metrics;
}

/** Methods receive the ids of keys. */
export interface QueueMetrics {
  added(id: unknown): void;
  taken(id: unknown): void;
  done(id: unknown): void;
}

const secondsBuckets = exponentialBuckets(10e-9, 10, 10);

const options = (name: string, help: string): MetricOptions => ({
  name: `workqueue_${name}`,
  help,
  stability: "BETA",
  labels: ["name"],
});

export function queueMetrics({ clock, name, metrics }: QueueMetricsOptions): QueueMetrics | undefined {
  if (!name || metrics === undefined || metrics === noMetrics) return undefined;
  const depth = metrics.gauge(options("depth", "Current depth of workqueue")).with([name]);
  const adds = metrics.counter(options("adds_total", "Total number of adds handled by workqueue")).with([name]);
  const histogram = (key: string, help: string) =>
    metrics.histogram({ ...options(key, help), buckets: secondsBuckets }).with([name]);
  const latency = histogram(
    "queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested.",
  );
  const work = histogram("work_duration_seconds", "How long in seconds processing an item from workqueue takes.");
  const addedAt = new Map<unknown, number>();
  const startedAt = new Map<unknown, number>();
  const secondsSince = (at: number): number => (clock.monotonicMs() - at) / 1000;

  // Deviation: upstream refreshes the next two metrics every 500 ms; here they are computed when read.
  metrics.gaugeFunc(
    options(
      "unfinished_work_seconds",
      "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    ),
    () => [{ labelValues: [name], value: [...startedAt.values()].reduce((sum, at) => sum + secondsSince(at), 0) }],
  );
  metrics.gaugeFunc(
    options(
      "longest_running_processor_seconds",
      "How many seconds has the longest running processor for workqueue been running.",
    ),
    () => [{ labelValues: [name], value: Math.max(0, ...[...startedAt.values()].map(secondsSince)) }],
  );

  return {
    added(id) {
      adds.inc();
      depth.add(1);
      if (!addedAt.has(id)) addedAt.set(id, clock.monotonicMs());
    },
    taken(id) {
      depth.add(-1);
      startedAt.set(id, clock.monotonicMs());
      const at = addedAt.get(id);
      if (at === undefined) return;
      latency.observe(secondsSince(at));
      addedAt.delete(id);
    },
    done(id) {
      const at = startedAt.get(id);
      if (at === undefined) return;
      work.observe(secondsSince(at));
      startedAt.delete(id);
    },
  };
}

// Deviation: every queue has this metric; upstream also has queues without delays.
/** Counts every delayed add, rate limited or not. */
export function retryCounter({ name, metrics }: QueueMetricsOptions): (() => void) | undefined {
  if (!name || metrics === undefined || metrics === noMetrics) return undefined;
  const retries = metrics
    .counter(options("retries_total", "Total number of retries handled by workqueue"))
    .with([name]);
  return () => retries.inc();
}
