// Metrics of the server as a whole, computed on reading: requests in progress, and stored objects.
// Upstream: k8s.io/apiserver/pkg/endpoints/metrics; k8s.io/apiserver/pkg/storage/etcd3/metrics

import { groupResourceText } from "#api/status-error.ts";
import type { Metrics } from "#base/metrics.ts";
import type { ServerCore } from "./core.ts";
import type { InFlightLimit } from "./filters/max-in-flight.ts";

interface StoredCount {
  readonly group: string;
  readonly resource: string;
  readonly value: number;
}

export function registerServerMetrics(metrics: Metrics, core: ServerCore, inFlight: InFlightLimit): void {
  metrics.gaugeFunc(
    {
      name: "apiserver_current_inflight_requests",
      help: "Requests under way, without watches; the one that reads this is one of them.",
      stability: "STABLE",
      labels: ["request_kind"],
    },
    () => {
      const { reading, writing } = inFlight.counts();
      return [
        { labelValues: ["mutating"], value: writing },
        { labelValues: ["readOnly"], value: reading },
      ];
    },
  );
  metrics.gaugeFunc(
    {
      name: "apiserver_resource_objects",
      help: "Stored objects by kind.",
      stability: "ALPHA",
      labels: ["group", "resource"],
    },
    () => storedCounts(core).map(({ group, resource, value }) => ({ labelValues: [group, resource], value })),
  );
  metrics.gaugeFunc(
    {
      name: "apiserver_storage_objects",
      help: "Stored objects by kind; apiserver_resource_objects takes its place.",
      stability: "STABLE",
      deprecatedVersion: "1.34.0",
      labels: ["resource"],
    },
    () => storedCounts(core).map((count) => ({ labelValues: [groupResourceText(count)], value: count.value })),
  );
}

function storedCounts(core: ServerCore): readonly StoredCount[] {
  return [...core.registry.rows()]
    .filter(({ virtual }) => virtual === undefined)
    .map((row) => ({ group: row.stored.group, resource: row.resource, value: core.tableOf(row).size }));
}
