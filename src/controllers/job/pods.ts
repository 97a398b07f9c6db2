// The pods of a Job: finds, adopts, releases and deletes them.
// Upstream: pkg/controller/job/job_controller.go, getPodsForJob, deleteActivePods, deleteJobPods.

import { ValueError } from "#api/errors.ts";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { olderFirst } from "#kit/order.ts";
import { isPodReady } from "#rules/pod-status.ts";
import { FINALIZER, hasFinalizer, REMOVAL, withFinalizer } from "./finalizers.ts";
import type { Deps, Job, StoredPod } from "./model.ts";
import type { SyncState } from "./sync-state.ts";

/** Oldest first. An adopted pod has the finalizer although the cache does not show it yet. */
export async function claimPods(job: Job, deps: Deps, signal: AbortSignal): Promise<readonly StoredPod[]> {
  const { namespace, name } = job.metadata;
  const selector = deps.selectorOf(job);
  if (selector instanceof ValueError) throw new Error(`couldn't convert Job selector: ${selector.message}`);
  const claimed = await claim(ownedAndOrphans(deps.pods, job, Jobs), {
    owner: job,
    ownerResource: Jobs,
    resource: Pods,
    matches: ({ metadata }) => selector.matches(metadata.labels ?? {}),
    readOwnerLive: () => deps.jobsApi.get({ namespace, name }, signal),
    patch: (pod, patch) => deps.podControl.patchPod(pod, patch, signal),
    finalizers: [FINALIZER],
  });
  return claimed.map((pod) => (isControlledBy(pod, job) ? pod : withTrackingFinalizer(pod))).toSorted(olderFirst);
}

function withTrackingFinalizer(pod: StoredPod): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, finalizers: withFinalizer(pod.metadata.finalizers) } };
}

/** The Job ends: deletes all active pods. Their finalizers stay until they are counted. Returns the first error. */
export async function deleteActivePods(state: SyncState, deps: Deps, signal: AbortSignal): Promise<unknown> {
  return removePods(state, state.activePods, (pod) => deletePod(state, pod, deps, signal));
}

/** Deletes surplus active pods without counting them. Returns the first error. */
export async function deleteSurplus(
  state: SyncState,
  pods: readonly StoredPod[],
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  const { key } = state;
  deps.expectations.expectDeletions(key, pods.length);
  return removePods(state, pods, async (pod) => {
    try {
      if (hasFinalizer(pod)) await removeFinalizer(pod, deps, signal);
      await deletePod(state, pod, deps, signal);
    } catch (error) {
      deps.expectations.deletionObserved(key); // no event will come for this pod
      throw error;
    }
  });
}

/** The pod no longer counts as ready, even when its deletion failed. */
async function deletePod(state: SyncState, pod: StoredPod, deps: Deps, signal: AbortSignal): Promise<void> {
  if (isPodReady(pod)) state.ready -= 1;
  await deps.podControl.deletePod(state.job, pod, signal);
}

async function removeFinalizer(pod: StoredPod, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await deps.podControl.patchPod(pod, REMOVAL, signal);
  } catch (error) {
    if (isNotFound(error)) throw error;
    throw new Error(`removing completion finalizer: ${errorMessage(error)}`, { cause: error });
  }
}

/** Deletes all at once. A pod that was already gone counts as removed. */
async function removePods(
  state: SyncState,
  pods: readonly StoredPod[],
  remove: (pod: StoredPod) => Promise<void>,
): Promise<unknown> {
  const results = await Promise.allSettled(pods.map(remove));
  const errors = results.flatMap((result) =>
    result.status === "rejected" && !isNotFound(result.reason) ? [result.reason] : [],
  );
  const removed = pods.length - errors.length;
  state.active -= removed;
  state.terminating += removed;
  return errors[0];
}
