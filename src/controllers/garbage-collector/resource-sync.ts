// Updates the monitors from discovery every 30 seconds. A part that cannot be discovered does not stop garbage
// collection for the rest.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, Sync.

import { deadlineScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Counter } from "#base/metrics.ts";
import { pollUntil, until } from "#base/wait.ts";
import { type Discovery, preferredResources, type ResourceLists } from "#client/discovery.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import {
  noResources,
  type Resources,
  resourceDiff,
  resourcesWith,
  withUndiscovered,
} from "#kit/discovered-resources.ts";
import type { Monitors } from "./monitors.ts";

/** Only resources whose objects can be deleted and watched. */
const VERBS = ["delete", "list", "watch"];
const SYNC_PERIOD_MS = 30_000;
const SYNC_POLL_MS = 100;

export interface ResourceSyncDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Not the mapper's discovery: detecting a change must not reset the mapper. */
  readonly discovery: Discovery;
  readonly restMapper: RestMapper;
  readonly monitors: Monitors;
  readonly informersStarted: Promise<void>;
  readonly syncErrors: Counter;
}

export async function syncResources(deps: ResourceSyncDeps, signal: AbortSignal): Promise<void> {
  using _ = deps.monitors;
  let resources: Resources = noResources;
  const round = async (signal: AbortSignal): Promise<void> => {
    resources = await syncOnce(resources, deps, signal);
  };
  await until(round, SYNC_PERIOD_MS, deps.clock, signal);
}

/** True: all caches are filled. False: some were not within the period. */
export async function waitForMonitors(
  { clock, monitors }: Pick<ResourceSyncDeps, "clock" | "monitors" | "log">,
  signal: AbortSignal,
): Promise<boolean> {
  using scope = deadlineScope(clock, SYNC_PERIOD_MS, signal);
  try {
    await pollUntil(() => monitors.isSynced, { intervalMs: SYNC_POLL_MS, isImmediate: true, clock }, scope.signal);
    return true;
  } catch (error) {
    if (!scope.signal.aborted) throw error;
    signal.throwIfAborted();
    return false;
  }
}

/** The resources that are watched now. After a failed round they are forgotten, so that the next round tries again. */
async function syncOnce(before: Resources, deps: ResourceSyncDeps, signal: AbortSignal): Promise<Resources> {
  const { log, monitors, restMapper, syncErrors } = deps;
  const { lists, failure } = await discover(deps, signal);
  const found = resourcesWith(VERBS, lists);
  if (found.size === 0) {
    log.v(2).info("no resources reported by discovery, skipping garbage collector sync");
    syncErrors.inc();
    return before;
  }
  const failed = new Set(failure?.groups.keys());
  const resources = withUndiscovered(found, before, failed, (resource) => monitors.isResourceSynced(resource));
  const diff = resourceDiff(before, resources);
  if (diff === undefined) return before;
  log.v(2).info("syncing garbage collector with updated resources from discovery", { ...diff });
  restMapper.reset();
  try {
    await monitors.sync(resources, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "failed to sync resource monitors");
    syncErrors.inc();
    return before;
  }
  await deps.informersStarted;
  monitors.start(signal);
  if (await waitForMonitors(deps, signal)) {
    log.v(2).info("synced garbage collector");
  } else {
    log.error(undefined, "timed out waiting for dependency graph builder sync during GC sync");
    syncErrors.inc();
  }
  return resources;
}

async function discover({ discovery, log }: ResourceSyncDeps, signal: AbortSignal): Promise<ResourceLists> {
  try {
    const found = await preferredResources(discovery, signal);
    if (found.failure !== undefined) {
      log.info("failed to discover some groups", { groups: [...found.failure.groups.keys()] });
    }
    return found;
  } catch (error) {
    signal.throwIfAborted();
    log.info("failed to discover preferred resources", { error: errorMessage(error) });
    return { lists: [] };
  }
}
