// Upstream: pkg/controller/certificates/rootcacertpublisher/metrics.go.

import type { Metrics } from "#base/metrics.ts";
import { registerSyncMetrics, type SyncMetrics } from "#families/publishing/sync-metrics.ts";

const HELP = "Number of namespace syncs happened in root ca cert publisher.";

export const registerPublisherMetrics = (metrics: Metrics): SyncMetrics =>
  registerSyncMetrics(metrics, { subsystem: "root_ca_cert_publisher", syncsHelp: HELP, secondsHelp: HELP });
