// The story of one namespace: create the bundle's ConfigMap, or bring it back to what it must say.
// Upstream: pkg/controller/certificates/rootcacertpublisher/publisher.go, syncNamespace.

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import { ApiError, isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { PublisherMetrics } from "./metrics.ts";

export const CONFIG_MAP_NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

export interface Deps {
  readonly configMaps: SharedInformer<ConfigMap>;
  readonly configMapsApi: ResourceClient<ConfigMap>;
  readonly rootCa: string;
  readonly clock: Clock;
  readonly metrics: PublisherMetrics;
}

export async function syncNamespace(namespace: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const startedMs = deps.clock.monotonicMs();
  let code = "200";
  try {
    const configMap = deps.configMaps.lister.get(`${namespace}/${CONFIG_MAP_NAME}`);
    if (configMap === undefined) await create(namespace, deps, signal);
    else if (!isAsPublished(configMap, deps.rootCa)) await restore(configMap, deps, signal);
    return done;
  } catch (error) {
    code = error instanceof ApiError ? String(error.code) : "500";
    throw error;
  } finally {
    deps.metrics.syncs.inc([code]);
    deps.metrics.syncSeconds.observe((deps.clock.monotonicMs() - startedMs) / 1000, [code]);
  }
}

/** A namespace that is gone or going needs no bundle. */
async function create(namespace: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const object: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: CONFIG_MAP_NAME, namespace, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } },
    data: { "ca.crt": deps.rootCa },
  };
  try {
    await deps.configMapsApi.create({ namespace, object }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}

/** Any text will do as the description: somebody may have translated it. */
function isAsPublished(configMap: ConfigMap, rootCa: string): boolean {
  const { data = {}, metadata } = configMap;
  const hasOnlyTheBundle = Object.keys(data).length === 1 && data["ca.crt"] === rootCa;
  return hasOnlyTheBundle && (metadata?.annotations?.[DESCRIPTION] ?? "") !== "";
}

/** Labels, other annotations and binary data are the users' own. */
async function restore(configMap: ConfigMap, deps: Deps, signal: AbortSignal): Promise<void> {
  const { metadata } = configMap;
  const annotations = { ...metadata?.annotations, [DESCRIPTION]: DESCRIPTION_TEXT };
  const object: ConfigMap = {
    ...configMap,
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, annotations },
    data: { "ca.crt": deps.rootCa },
  };
  await deps.configMapsApi.update({ object }, signal);
}
