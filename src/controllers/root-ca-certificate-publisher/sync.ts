// Syncs one namespace: creates the bundle's ConfigMap, or restores its content.
// Upstream: pkg/controller/certificates/rootcacertpublisher/publisher.go, syncNamespace.

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import { counted, type SyncMetrics } from "#families/publishing/sync-metrics.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { CONFIG_MAP_NAME, isAsPublished, newBundle, restored } from "./bundle.ts";

export interface Deps {
  readonly configMaps: SharedInformer<Stored<ConfigMap>>;
  readonly configMapsApi: ResourceClient<Stored<ConfigMap>>;
  readonly rootCa: string;
  readonly clock: Clock;
  readonly metrics: SyncMetrics;
}

export function syncNamespace(namespace: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  return counted(deps.metrics, deps.clock, async () => {
    const configMap = deps.configMaps.lister.get(`${namespace}/${CONFIG_MAP_NAME}`);
    if (configMap === undefined) {
      const created = deps.configMapsApi.create({ namespace, object: newBundle(deps.rootCa) }, signal);
      await tolerate(created, isNotFound, isNamespaceTerminating); // a deleted namespace needs no bundle
    } else if (!isAsPublished(configMap, deps.rootCa)) {
      await deps.configMapsApi.update({ object: restored(configMap, deps.rootCa) }, signal);
    }
    return done;
  });
}
