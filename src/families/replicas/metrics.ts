// The metrics of the replica engine. Both kinds share them, as upstream does.
// Upstream: pkg/controller/replicaset/metrics/metrics.go; replica_set.go, reportSortingDeletionAgeRatioMetric.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Counter, Histogram, Metrics } from "#base/metrics.ts";
import { isPodReady } from "#rules/pod-status.ts";

export interface ReplicaMetrics {
  readonly deletionAgeRatio: Histogram;
  readonly staleSyncSkips: Counter;
}

export function registerReplicaMetrics(metrics: Metrics): ReplicaMetrics {
  return {
    deletionAgeRatio: metrics.histogram({
      name: "replicaset_controller_sorting_deletion_age_ratio",
      help:
        "The ratio of chosen deleted pod's ages to the current youngest pod's age (at the time). Should be <2. " +
        "The intent of this metric is to measure the rough efficacy of the LogarithmicScaleDown feature gate's effect on " +
        "the sorting (and deletion) of pods when a replicaset scales down. This only considers Ready pods when calculating and reporting.",
      stability: "ALPHA",
      buckets: [0.25, 0.5, 1, 2, 4, 8],
    }),
    staleSyncSkips: metrics.counter({
      name: "replicaset_controller_stale_sync_skips_total",
      help: "Total number of ReplicaSet syncs skipped due to a stale watch cache.",
      stability: "ALPHA",
      labels: ["group", "resource"],
    }),
  };
}

/** Observes the age of each deleted ready pod, in whole multiples of the youngest ready pod's age. */
export function observeDeletionAges(
  metrics: ReplicaMetrics,
  pods: readonly Stored<Pod>[],
  chosen: readonly Stored<Pod>[],
  now: EpochMs,
): void {
  const ages = new Map(pods.filter(isPodReady).map((pod) => [pod, now - parseTime(pod.metadata.creationTimestamp)]));
  const youngest = Math.min(...ages.values());
  for (const pod of chosen) {
    const age = ages.get(pod);
    // Deviation: upstream divides integers and panics when the youngest pod is less than 1 ms old.
    if (age !== undefined && youngest >= 1) metrics.deletionAgeRatio.observe(Math.trunc(age / Math.trunc(youngest)));
  }
}
