// The sync of one key: reads the owner's pods, scales to spec.replicas, and writes the status.
// Upstream: pkg/controller/replicaset/replica_set.go, syncReplicaSet.

import { ValueError } from "#api/errors.ts";
import { type ObjectKey, ref } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { forgetOwner } from "#kit/owner-memory.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { nextAvailabilityCheckMs } from "#rules/pod-status.ts";
import type { Deps } from "./deps.ts";
import { claimPods, type OwnPods, podsOnServer } from "./pods.ts";
import type { ReplicaObject } from "./replica-kind.ts";
import { scale } from "./scale.ts";
import { calculateStatus, writeStatus } from "./status.ts";

export async function syncReplicas<T extends ReplicaObject>(
  key: ObjectKey,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<SyncResult> {
  deps.consistency.requireFresh(key);
  const owner = deps.owners.lister.get(key);
  if (owner === undefined) {
    forgetOwner(key, deps);
    deps.podMarks.forget(key);
    return done;
  }

  // Check before reading the pods: later events can only make the cache fresher than this result.
  const mayScale = deps.expectations.areMet(key) && owner.metadata.deletionTimestamp === undefined;
  const selector = deps.selectorOf(owner);
  if (selector instanceof ValueError) return reportSelector(owner, selector, deps);

  if (mayScale) await deps.doubts.settle(key, owner, () => podsOnServer(owner, selector, deps, signal));
  const pods = await claimPods(owner, selector, deps, signal);
  const scaleError = mayScale ? await scale(owner, pods.active, deps, signal) : undefined;

  const now = deps.clock.now(); // one instant for the status and the next check
  const status = calculateStatus(owner, { pods, scaleError, reportsTerminating: deps.reportsTerminating, now });
  const updated = await writeStatus(owner, status, deps, signal);
  deps.consistency.wroteAt(key, owner.metadata.uid, deps.kind.resource, updated.metadata.resourceVersion);

  if (scaleError !== undefined) throw scaleError; // after the status write, which reports the reason to the user
  return requeueForAvailability(updated, pods, now, deps);
}

/** No retry can fix a selector; the next update of the object queues it again. */
function reportSelector<T extends ReplicaObject>(owner: T, error: ValueError, deps: Deps<T>): SyncResult {
  deps.log.error(error, "error converting pod selector to selector", { replicaSet: ref(owner) });
  return done;
}

/** A pod becomes available by time alone, without an event. */
function requeueForAvailability<T extends ReplicaObject>(
  owner: T,
  pods: OwnPods,
  now: EpochMs,
  deps: Deps<T>,
): SyncResult {
  const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
  const { readyReplicas = 0, availableReplicas = 0 } = owner.status ?? {};
  if (minReadySeconds <= 0 || readyReplicas === availableReplicas) return done;
  const nextMs = nextAvailabilityCheckMs(pods.active, minReadySeconds, now, deps.clock.now());
  return requeueAfter(nextMs ?? minReadySeconds * 1000, "minReadySeconds");
}
