// Syncs one StatefulSet: its revisions, its pods, and its status.
// Upstream: pkg/controller/statefulset/stateful_set.go, sync; stateful_set_control.go, UpdateStatefulSet.

import { ValueError } from "#api/errors.ts";
import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { StatefulSetStatus } from "#api/generated/types/apps-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import { type ObjectKey, ref } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { AggregateOperationError, aggregate } from "#kit/aggregate-error.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { nextAvailabilityCheckMs } from "#rules/pod-status.ts";
import { type Deps, minReadySecondsOf, type StatefulSet, type StoredPod } from "./model.ts";
import { isMemberOf } from "./ordinals.ts";
import { maxUnavailable, metricLabels, updateReplicas } from "./replicas.ts";
import { adoptRevisions, type Revisions, resolveRevisions, revisionsOf, truncateHistory } from "./revisions.ts";
import { isSameStatus, withCompletedUpdate, writeStatus } from "./status.ts";

export async function syncStatefulSet(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  deps.consistency.requireFresh(key);
  const set = deps.sets.lister.get(key);
  if (set === undefined) {
    deps.consistency.clear(key);
    return done;
  }
  const selector = deps.selectorOf(set);
  if (selector instanceof ValueError) {
    // No retry can fix a selector.
    deps.log.error(selector, "Error converting StatefulSet selector", { key });
    return done;
  }
  await adoptRevisions(set, selector, deps, signal);
  const pods = await claimPods(set, selector, deps, signal);
  const now = deps.clock.now(); // one instant for the status and the next check
  const status = await updateSet(set, selector, pods, now, deps, signal);
  return requeueForAvailability(set, status, pods, now, deps);
}

/** Pods whose name does not match this set do not belong to it. */
function claimPods(
  set: StatefulSet,
  selector: Selector,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly StoredPod[]> {
  const { namespace, name } = set.metadata;
  return claim(ownedAndOrphans(deps.pods, set, StatefulSets), {
    owner: set,
    ownerResource: StatefulSets,
    resource: Pods,
    matches: (pod) => selector.matches(pod.metadata.labels ?? {}) && isMemberOf(set, pod),
    readOwnerLive: () => deps.setsApi.get({ namespace, name }, signal),
    patch: (pod, patch) => deps.podControl.patchPod(pod, patch, signal),
  });
}

/** Old revisions are deleted even after a failure. */
async function updateSet(
  set: StatefulSet,
  selector: Selector,
  pods: readonly StoredPod[],
  now: EpochMs,
  deps: Deps,
  signal: AbortSignal,
): Promise<StatefulSetStatus> {
  const revisions = revisionsOf(set, selector, deps);
  let resolved: Revisions | undefined;
  let status: StatefulSetStatus | undefined;
  const errors: unknown[] = [];
  try {
    resolved = await resolveRevisions(set, revisions, deps, signal);
    status = await performUpdate(set, resolved, pods, now, deps, signal);
  } catch (error) {
    errors.push(...(error instanceof AggregateOperationError ? error.errors : [error]));
  }
  try {
    await truncateHistory(set, pods, revisions, resolved, deps, signal);
  } catch (error) {
    errors.push(error);
  }
  if (status === undefined || errors.length > 0) throw aggregate(errors);
  return status;
}

/** The status is written even after a failure. Then the failure is thrown. */
async function performUpdate(
  set: StatefulSet,
  revisions: Revisions,
  pods: readonly StoredPod[],
  now: EpochMs,
  deps: Deps,
  signal: AbortSignal,
): Promise<StatefulSetStatus> {
  const { status: counted, error } = await updateReplicas(set, revisions, pods, now, deps, signal);
  const status = withCompletedUpdate(set, counted);
  try {
    if (deps.gates.isEnabled("MaxUnavailableStatefulSet"))
      deps.metrics.maxUnavailable.set(maxUnavailable(set), metricLabels(set));
    if (!isSameStatus(set.status, status)) await writeStatus(set, status, deps, signal);
  } catch (statusError) {
    if (error === undefined) throw statusError;
    deps.log.error(statusError, "Could not update status", { statefulSet: ref(set) });
  }
  if (error !== undefined) throw error;
  return status;
}

/** A pod becomes available by time alone, without an event. */
function requeueForAvailability(
  set: StatefulSet,
  { readyReplicas, availableReplicas }: StatefulSetStatus,
  pods: readonly StoredPod[],
  now: EpochMs,
  deps: Deps,
): SyncResult {
  const minReadySeconds = minReadySecondsOf(set);
  if (minReadySeconds <= 0 || readyReplicas === availableReplicas) return done;
  const nextMs = nextAvailabilityCheckMs(pods, minReadySeconds, now, deps.clock.now());
  return requeueAfter(nextMs ?? minReadySeconds * 1000, "minReadySeconds");
}
