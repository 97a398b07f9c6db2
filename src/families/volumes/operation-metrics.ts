// Durations of operations on volumes. Several storage controllers feed the same metrics.
// Upstream: pkg/volume/util/metrics.go.

import type { Clock } from "#base/clock.ts";
import type { Histogram, Metrics } from "#base/metrics.ts";

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

export interface OperationMetrics {
  /** One call of a plugin. */
  readonly duration: Histogram;
  /** From the request to the result. */
  readonly total: Histogram;
}

export function operationMetrics(metrics: Metrics): OperationMetrics {
  return {
    duration: metrics.histogram({
      name: "storage_operation_duration_seconds",
      help: "Storage operation duration",
      stability: "ALPHA",
      labels: ["volume_plugin", "operation_name", "status", "migrated"],
      buckets: BUCKETS,
    }),
    total: metrics.histogram({
      name: "volume_operation_total_seconds",
      help: "Storage operation end to end duration in seconds",
      stability: "ALPHA",
      labels: ["plugin_name", "operation_name"],
      buckets: BUCKETS,
    }),
  };
}

/** Runs an operation of a plugin and records its duration and result. */
export async function timed<T>(
  what: { readonly plugin: string; readonly operation: string; readonly isMigrated?: boolean },
  { duration }: OperationMetrics,
  clock: Clock,
  operation: () => Promise<T> | T,
): Promise<T> {
  const startedAt = clock.monotonicMs();
  const observe = (status: string): void =>
    duration.observe((clock.monotonicMs() - startedAt) / 1000, [
      what.plugin,
      what.operation,
      status,
      String(what.isMigrated ?? false),
    ]);
  try {
    const result = await operation();
    observe("success");
    return result;
  } catch (error) {
    observe("fail-unknown");
    throw error;
  }
}
