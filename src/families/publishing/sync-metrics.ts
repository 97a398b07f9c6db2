// Counts the syncs of the controllers that publish a CA, by the code of the API server's answer.
// Upstream: pkg/controller/certificates/rootcacertpublisher/metrics.go, clustertrustbundlepublisher/metrics.go

import { ApiError } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { type Counter, exponentialBuckets, type Histogram, type Metrics } from "#base/metrics.ts";

export interface SyncMetrics {
  readonly syncs: Counter;
  readonly syncSeconds: Histogram;
}

export function registerSyncMetrics(
  metrics: Metrics,
  { subsystem, syncsHelp, secondsHelp }: { subsystem: string; syncsHelp: string; secondsHelp: string },
): SyncMetrics {
  return {
    syncs: metrics.counter({
      name: `${subsystem}_sync_total`,
      help: syncsHelp,
      stability: "ALPHA",
      labels: ["code"],
    }),
    syncSeconds: metrics.histogram({
      name: `${subsystem}_sync_duration_seconds`,
      help: secondsHelp,
      stability: "ALPHA",
      labels: ["code"],
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
  };
}

/** Runs a sync and counts it. */
export async function counted<T>(metrics: SyncMetrics, clock: Clock, sync: () => Promise<T>): Promise<T> {
  const startedMs = clock.monotonicMs();
  let code = "200";
  try {
    return await sync();
  } catch (error) {
    code = failureCode(error);
    throw error;
  } finally {
    metrics.syncs.inc([code]);
    metrics.syncSeconds.observe((clock.monotonicMs() - startedMs) / 1000, [code]);
  }
}

/** The API server's code; 500 for errors without one. */
export function failureCode(error: unknown): string {
  return error instanceof ApiError && error.code !== 0 ? String(error.code) : "500";
}
