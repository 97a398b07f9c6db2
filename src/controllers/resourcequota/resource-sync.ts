// Updates the monitors from discovery every 30 seconds. No quota is computed while the monitors change.
// Upstream: pkg/controller/resourcequota/resource_quota_controller.go, Sync.

import { deadlineScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { SharedLock } from "#base/shared-lock.ts";
import { pollUntil, until } from "#base/wait.ts";
import { type Discovery, preferredNamespacedResources, type ResourceLists } from "#client/discovery.ts";
import {
  noResources,
  type Resources,
  resourceDiff,
  resourcesWith,
  withUndiscovered,
} from "#kit/discovered-resources.ts";
import type { QuotaMonitors } from "./monitors.ts";

/** Only resources whose objects can be counted. */
const VERBS = ["create", "list", "watch", "delete"];
const SYNC_PERIOD_MS = 30_000;
const SYNC_POLL_MS = 100;

export interface ResourceSyncDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly discovery: Discovery;
  readonly monitors: QuotaMonitors;
  /** Workers hold it shared. */
  readonly lock: SharedLock;
  readonly informersStarted: Promise<void>;
}

/** The initial monitors. Throws when discovery returns nothing: then the program ends. */
export async function firstResources(
  { discovery, log, monitors }: ResourceSyncDeps,
  signal: AbortSignal,
): Promise<void> {
  const { lists, failure } = await preferredNamespacedResources(discovery, signal);
  if (failure !== undefined) {
    log.error(failure, "Initial discovery check failure, continuing and counting on future sync update");
  }
  await monitors.sync(resourcesWith(VERBS, lists));
}

export async function syncResources(deps: ResourceSyncDeps, signal: AbortSignal): Promise<void> {
  using _ = deps.monitors;
  let resources: Resources = noResources;
  const round = async (signal: AbortSignal): Promise<void> => {
    resources = await syncOnce(resources, deps, signal);
  };
  await until(round, SYNC_PERIOD_MS, deps.clock, signal);
}

export async function waitForMonitors(
  { clock, monitors }: Pick<ResourceSyncDeps, "clock" | "monitors">,
  signal: AbortSignal,
): Promise<void> {
  await pollUntil(() => monitors.isSynced, { intervalMs: SYNC_POLL_MS, isImmediate: true, clock }, signal);
}

/** The resources that are watched now. */
async function syncOnce(before: Resources, deps: ResourceSyncDeps, signal: AbortSignal): Promise<Resources> {
  const { log, lock, monitors } = deps;
  const { lists, failure } = await discover(deps, signal);
  const found = resourcesWith(VERBS, lists);
  if (found.size === 0) return before;
  const resources = withUndiscovered(found, before, new Set(failure?.groups.keys()), () => true);
  const diff = resourceDiff(before, resources);
  if (diff === undefined) return before;
  await lock.alone(async () => {
    log.v(2).info("syncing resource quota controller with updated resources from discovery", { ...diff });
    await monitors.sync(resources);
    await deps.informersStarted;
    monitors.start();
    if (await areSyncedInTime(deps, signal)) log.v(2).info("synced quota controller");
    else log.error(undefined, "Timed out waiting for quota monitor sync");
  });
  return resources;
}

async function discover({ discovery, log }: ResourceSyncDeps, signal: AbortSignal): Promise<ResourceLists> {
  try {
    const found = await preferredNamespacedResources(discovery, signal);
    if (found.failure !== undefined) log.error(found.failure, "Error during resource discovery");
    return found;
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "Error during resource discovery");
    return { lists: [] };
  }
}

/** A cache that never fills must not stop the other quotas. */
async function areSyncedInTime(deps: ResourceSyncDeps, signal: AbortSignal): Promise<boolean> {
  using scope = deadlineScope(deps.clock, SYNC_PERIOD_MS, signal);
  try {
    await waitForMonitors(deps, scope.signal);
    return true;
  } catch (error) {
    if (!scope.signal.aborted) throw error;
    signal.throwIfAborted();
    return false;
  }
}
