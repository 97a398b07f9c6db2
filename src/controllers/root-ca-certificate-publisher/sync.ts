// The story of one namespace: create the bundle's ConfigMap, or bring it back to what it must say.
// Upstream: pkg/controller/certificates/rootcacertpublisher/publisher.go, syncNamespace.

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { CONFIG_MAP_NAME, isAsPublished, newBundle, restored } from "./bundle.ts";
import { failureCode, type PublisherMetrics } from "./metrics.ts";

export interface Deps {
  readonly configMaps: SharedInformer<Stored<ConfigMap>>;
  readonly configMapsApi: ResourceClient<Stored<ConfigMap>>;
  readonly rootCa: string;
  readonly clock: Clock;
  readonly metrics: PublisherMetrics;
}

export async function syncNamespace(namespace: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const startedMs = deps.clock.monotonicMs();
  let code = "200";
  try {
    const configMap = deps.configMaps.lister.get(`${namespace}/${CONFIG_MAP_NAME}`);
    if (configMap === undefined) {
      const created = deps.configMapsApi.create({ namespace, object: newBundle(deps.rootCa) }, signal);
      await tolerate(created, isNotFound, isNamespaceTerminating); // a namespace that is gone or going needs no bundle
    } else if (!isAsPublished(configMap, deps.rootCa)) {
      await deps.configMapsApi.update({ object: restored(configMap, deps.rootCa) }, signal);
    }
    return done;
  } catch (error) {
    code = failureCode(error);
    throw error;
  } finally {
    deps.metrics.syncs.inc([code]);
    deps.metrics.syncSeconds.observe((deps.clock.monotonicMs() - startedMs) / 1000, [code]);
  }
}
