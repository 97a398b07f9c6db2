// Syncs the bundles of the signer: creates or updates the right one and deletes all others.
// Upstream: pkg/controller/certificates/clustertrustbundlepublisher/publisher.go, syncClusterTrustBundle

import type { ClusterTrustBundle } from "#api/generated/types/certificates-v1beta1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { ApiError, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import { counted, type SyncMetrics } from "#families/publishing/sync-metrics.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

/** v1alpha1 has the same fields. */
export type StoredBundle = StoredCluster<ClusterTrustBundle>;

export interface Deps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: SyncMetrics;
  /** Only the bundles of this signer. */
  readonly bundles: SharedInformer<StoredBundle>;
  readonly bundlesApi: ResourceClient<StoredBundle>;
  readonly signerName: string;
  readonly name: string;
  readonly trustBundle: string;
}

export function publishBundle(deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  return counted(deps.metrics, deps.clock, async () => {
    await writeBundle(deps, signal);
    await deleteOthers(deps, signal);
    return done;
  });
}

async function writeBundle(
  { bundles, bundlesApi, signerName, name, trustBundle }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const bundle = bundles.lister.get(name);
  if (bundle === undefined) {
    await bundlesApi.create({ object: { metadata: { name }, spec: { signerName, trustBundle } } }, signal);
  } else if (bundle.spec.trustBundle !== trustBundle) {
    await bundlesApi.update({ object: { ...bundle, spec: { ...bundle.spec, trustBundle } } }, signal);
  }
}

/** Tries all; throws the last failure. */
async function deleteOthers({ log, bundles, bundlesApi, name: kept }: Deps, signal: AbortSignal): Promise<void> {
  let failure: ApiError | undefined;
  for (const { metadata } of bundles.lister.list()) {
    const { name } = metadata;
    if (name === kept) continue;
    try {
      await bundlesApi.delete({ name }, signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isNotFound(error)) continue;
      log.error(error, "failed to remove a cluster trust bundle", { bundleName: name });
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
}
