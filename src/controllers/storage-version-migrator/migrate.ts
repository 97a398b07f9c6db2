// Writes every object of a resource unchanged: the API server then stores it in the current storage version.
// Upstream: pkg/controller/storageversionmigrator/storageversionmigrator.go.

import { apiVersionOf, objectKey } from "#api/object.ts";
import type { PartialObjectMetadata, Resource } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import {
  isConflict,
  isInternalError,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
} from "#api/status-error.ts";
import { deadlineScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { TransportError } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { MonitoredInformer, MonitoredResources } from "#kit/monitored-resources.ts";
import { compareText } from "#kit/order.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { goName, migratedResource } from "./migrated-resource.ts";
import { failed, isTerminal, isYoung, type Migration, succeeded } from "./migrations.ts";

const FIELD_MANAGER = "storage-version-migrator-controller";
/** Other migrations may continue meanwhile. */
const MONITOR_WAIT_MS = 10_000;

export interface MigratorDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly restMapper: RestMapper;
  readonly monitored: MonitoredResources;
  readonly migrations: SharedInformer<Migration>;
  readonly migrationsApi: ResourceClient<Migration>;
  /** With the higher limits of migrations. */
  readonly client: Client;
}

export async function migrate(name: string, deps: MigratorDeps, signal: AbortSignal): Promise<SyncResult> {
  const migration = deps.migrations.lister.get(name);
  const since = migration?.status?.resourceVersion ?? "";
  if (migration === undefined || isTerminal(migration) || since === "") return done;
  const { clock, migrationsApi } = deps;
  const fail = async (why: string): Promise<SyncResult> => {
    const message = `migration encountered unhandled error: ${why}`;
    await migrationsApi.updateStatus({ object: failed(migration, message, clock.now()) }, signal);
    return done;
  };
  const resource = await migratedResource(migration, deps.restMapper, signal);
  if (resource === undefined) {
    if (!isYoung(migration, clock.now())) return fail("unable to obtain GVR from discovery");
    throw new Error("resource does not exist in rest mapper, requeuing to attempt again");
  }
  const monitor = await syncedMonitor(resource, deps, signal);
  if (monitor === undefined) {
    // As Go prints a nil error.
    if (!isYoung(migration, clock.now())) return fail("resource does not exist in GC: %!w(<nil>)");
    throw new Error("resource does not exist in GC, requeuing to attempt again");
  }
  const seen = monitor.lastStoreSyncResourceVersion || monitor.lastSyncResourceVersion;
  let isBehind: boolean;
  try {
    isBehind = compareResourceVersions(seen, since) < 0;
  } catch (error) {
    return fail(`error comparing resource versions between GC and SVM resource: ${errorMessage(error)}`);
  }
  if (isBehind) {
    const versions = `gcListResourceVersion: ${seen}, listResourceVersion: ${since}`;
    throw new Error(`GC cache is not up to date, requeuing to attempt again. ${versions}`);
  }
  const objects = [...monitor.store.values()].toSorted((a, b) => compareText(objectKey(a), objectKey(b)));
  for (const object of objects) {
    const problem = await rewrite(object, resource, since, deps, signal);
    if (problem !== undefined) return fail(problem);
  }
  await migrationsApi.updateStatus({ object: succeeded(migration, clock.now()) }, signal);
  return done;
}

/** Waits a short time for a filling cache; undefined if it is not full by then. */
async function syncedMonitor(
  resource: Resource,
  { monitored, clock }: MigratorDeps,
  signal: AbortSignal,
): Promise<MonitoredInformer | undefined> {
  const monitor = monitored.find(resource);
  if (monitor === undefined) throw new Error(`no monitor found for resource ${goName(resource)}`);
  using scope = deadlineScope(clock, MONITOR_WAIT_MS, signal);
  try {
    await monitor.synced(scope.signal);
    return monitor;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Why the migration fails, if it does. A transient error is thrown. */
async function rewrite(
  { metadata }: PartialObjectMetadata,
  resource: Resource,
  since: string,
  { client, log }: MigratorDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace, name, uid, resourceVersion } = metadata;
  try {
    if (compareResourceVersions(resourceVersion, since) > 0) return undefined;
  } catch (error) {
    return errorMessage(error);
  }
  // With UID and resource version, an object that was deleted or changed meanwhile causes a conflict and is never
  // created.
  const patch = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata: { uid, resourceVersion } };
  const at = { name, ...(namespace === undefined ? {} : { namespace }) };
  try {
    await client.resource(resource).apply({ ...at, object: patch, fieldManager: FIELD_MANAGER }, signal);
    return undefined;
  } catch (error) {
    if (isConflict(error)) return undefined;
    if (signal.aborted || mayPass(error)) throw error;
    log.error(error, "Failed to migrate the resource", { namespace, name, gvr: goName(resource) });
    return errorMessage(error);
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure === "reset";
  return [isServerTimeout, isTooManyRequests, isServiceUnavailable, isInternalError, isTimeout].some((is) => is(error));
}
