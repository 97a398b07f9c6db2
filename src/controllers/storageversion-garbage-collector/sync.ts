// Removes deleted API servers from storage versions.
// Upstream: pkg/controller/storageversiongc/gc_controller.go.

import type { Lease } from "#api/generated/types/coordination-v1.ts";
import type { ServerStorageVersion, StorageVersion } from "#api/generated/types/internal-v1alpha1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { withServers } from "./encoding-version.ts";

/** The namespace of the API servers' identity leases. */
export const SYSTEM = "kube-system";

export interface Deps {
  readonly clock: Clock;
  readonly leasesApi: ResourceClient<Stored<Lease>>;
  readonly versionsApi: ResourceClient<StoredCluster<StorageVersion>>;
}

export function isIdentity(lease: Lease | undefined): boolean {
  return lease?.metadata?.labels?.["apiserver.kubernetes.io/identity"] === "kube-apiserver";
}

/** An API server's lease is gone: removes the server from all storage versions. */
export async function syncLease(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  if (await exists(name, deps, signal)) return done;
  const { items } = await deps.versionsApi.list({}, signal);
  const errors: unknown[] = [];
  for (const version of items) {
    const known = version.status?.storageVersions ?? [];
    const left = known.filter(({ apiServerID }) => apiServerID !== name);
    if (left.length === known.length) continue;
    await write(version, left, deps, signal).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw aggregate(errors);
  return done;
}

async function exists(name: string, { leasesApi }: Deps, signal: AbortSignal): Promise<boolean> {
  try {
    await leasesApi.get({ namespace: SYSTEM, name }, signal);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The storage version names an API server that is not in the cache: reads each lease live. */
export async function syncVersion(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  let version: StoredCluster<StorageVersion>;
  try {
    version = await deps.versionsApi.get({ name }, signal);
  } catch (error) {
    if (isNotFound(error)) return done;
    throw error;
  }
  const known = version.status?.storageVersions ?? [];
  const left: ServerStorageVersion[] = [];
  for (const server of known) if (await isAlive(server, deps, signal)) left.push(server);
  if (left.length < known.length) await write(version, left, deps, signal);
  return done;
}

/** As upstream, a server whose lease cannot be read counts as gone, whatever the reason. */
async function isAlive(
  { apiServerID }: ServerStorageVersion,
  { leasesApi }: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return isIdentity(await leasesApi.get({ namespace: SYSTEM, name: apiServerID }, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}

async function write(
  version: StoredCluster<StorageVersion>,
  left: readonly ServerStorageVersion[],
  { versionsApi, clock }: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (left.length === 0) await versionsApi.delete({ name: version.metadata.name }, signal);
  else await versionsApi.updateStatus({ object: withServers(version, left, clock.now()) }, signal);
}
