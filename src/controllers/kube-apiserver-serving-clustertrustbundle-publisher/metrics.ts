// Upstream: pkg/controller/certificates/clustertrustbundlepublisher/metrics.go.

import type { Metrics } from "#base/metrics.ts";
import { registerSyncMetrics, type SyncMetrics } from "#families/publishing/sync-metrics.ts";

export const registerPublisherMetrics = (metrics: Metrics): SyncMetrics =>
  registerSyncMetrics(metrics, {
    subsystem: "clustertrustbundle_publisher",
    syncsHelp: "Number of syncs that occurred in cluster trust bundle publisher.",
    secondsHelp: "The time it took to sync a cluster trust bundle.",
  });
