// Scales the active pods of a Job: a sync creates or deletes pods, never both.
// Upstream: pkg/controller/job/job_controller.go, manageJob.

import { isNamespaceTerminating } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import { slowStart } from "#kit/slow-start.ts";
import { isPodTerminating } from "#rules/pod-status.ts";
import { remainingMs } from "./backoff.ts";
import { firstFree, mergeIndexes, withIndexes } from "./indexes.ts";
import { completionsOf, type Deps, hasLimitPerIndex, isIndexed, isSuspended, replacesOnlyFailed } from "./model.ts";
import { backoffOfIndex, indexesOf } from "./pod-index.ts";
import { deleteSurplus } from "./pods.ts";
import { podsToRemove } from "./removal-order.ts";
import type { SyncState } from "./sync-state.ts";
import { namePrefixOfIndex, podTemplate, templateOfIndex } from "./template.ts";

/** The most pods that one sync creates or deletes. */
const BURST = 500;
/** Collects pod events: the next sync comes no sooner. */
export const BATCH_MS = 1000;

/** The label of metrics. */
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

export interface Managed {
  readonly action: SyncAction;
  readonly error?: unknown;
}

export async function managePods(state: SyncState, deps: Deps, signal: AbortSignal): Promise<Managed> {
  const { job, activePods, active } = state;
  if (isSuspended(job)) {
    const error = await deleteSurplus(state, podsToRemove(job, activePods, active), deps, signal);
    return { action: "pods_deleted", error };
  }
  const wanted = wantedActive(state);
  const surplus = podsToRemove(job, activePods, Math.max(0, active - wanted)).slice(0, BURST);
  if (surplus.length > 0) return { action: "pods_deleted", error: await deleteSurplus(state, surplus, deps, signal) };

  const terminating = replacesOnlyFailed(job) ? state.terminating : 0;
  const missing = wanted - terminating - active;
  if (missing <= 0) return { action: "tracking" };
  const plan = planCreates(state, Math.min(missing, BURST), deps.clock.now());
  if (plan.waitMs > 0) {
    deps.syncAfter(state.key, Math.max(plan.waitMs, BATCH_MS), "back-off after failed pods");
    return { action: "pods_created" };
  }
  return { action: "pods_created", error: await createPods(state, plan, deps, signal) };
}

/** Without completions, no more pods are started after the first success. */
function wantedActive({ job, active, succeeded }: Pick<SyncState, "job" | "active" | "succeeded">): number {
  const { completions, parallelism = 1 } = job.spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

interface CreatePlan {
  readonly count: number;
  /** For an Indexed Job, one for each pod. */
  readonly indexes: readonly number[];
  /** No pod may be created before this time has passed. */
  readonly waitMs: number;
}

/** Back-off applies to the whole Job, or to each index if the limit is per index. */
function planCreates(state: SyncState, missing: number, now: EpochMs): CreatePlan {
  const { job, lastFailed } = state;
  const waitMs = hasLimitPerIndex(job) ? 0 : remainingMs(state.backoff, now);
  if (waitMs > 0) return { count: 0, indexes: [], waitMs };
  if (!isIndexed(job)) return { count: missing, indexes: [], waitMs: 0 };
  const free = freeIndexes(state, missing);
  if (!hasLimitPerIndex(job)) return { count: free.length, indexes: free, waitMs: 0 };
  const waits = free.map((index) => {
    const failed = lastFailed.get(index);
    return failed === undefined ? 0 : remainingMs(backoffOfIndex(failed), now);
  });
  const indexes = free.filter((_, i) => waits[i] === 0);
  return { count: indexes.length, indexes, waitMs: indexes.length > 0 || free.length === 0 ? 0 : Math.min(...waits) };
}

function freeIndexes(
  { job, pods, activePods, succeededIndexes, failedIndexes }: SyncState,
  count: number,
): readonly number[] {
  let taken = withIndexes(succeededIndexes, indexesOf(activePods));
  if (replacesOnlyFailed(job)) taken = withIndexes(taken, indexesOf(pods.filter(isPodTerminating)));
  return firstFree(mergeIndexes(taken, failedIndexes ?? []), count, completionsOf(job));
}

async function createPods(
  state: SyncState,
  { count, indexes }: CreatePlan,
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  const { key, job, lastFailed } = state;
  const template = podTemplate(job, state.podGroup);
  deps.expectations.expectCreations(key, count);
  // As upstream, a failed create counts as both.
  const counts = { succeeded: 0, failed: 0 };
  const { succeeded, error } = await slowStart(count, async (i) => {
    const index = indexes[i];
    const request =
      index === undefined
        ? { owner: job, template }
        : {
            owner: job,
            template: templateOfIndex(job, template, index, lastFailed.get(index)),
            generateName: namePrefixOfIndex(job.metadata.name, index),
          };
    try {
      await deps.podControl.createPod(request, signal);
      counts.succeeded++;
    } catch (error) {
      // No pod can be created in this namespace: the expectation stays open until the Job is deleted too.
      if (isNamespaceTerminating(error)) return;
      counts.succeeded++;
      counts.failed++;
      throw error;
    }
  });
  deps.expectations.creationObserved(key, count - succeeded); // refused or not tried: no event will come for these
  state.active += succeeded;
  countCreated(state, counts, deps);
  return error;
}

function countCreated(
  { job, failed, terminating }: SyncState,
  counts: { readonly succeeded: number; readonly failed: number },
  { metrics }: Deps,
): void {
  let reason = "new";
  if (job.spec?.podReplacementPolicy === "Failed" && failed > 0) reason = "recreate_failed";
  else if (failed > 0 || terminating > 0) reason = "recreate_terminating_or_failed";
  for (const status of ["succeeded", "failed"] as const) {
    if (counts[status] > 0) metrics.createdPods.inc([reason, status], counts[status]);
  }
}
