// The status of a StatefulSet, computed from its pods and written only when it changed.
// Upstream: pkg/controller/statefulset/stateful_set_control.go, computeReplicaStatus, updateStatefulSetStatus;
// stateful_set_status_updater.go.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import type { StatefulSetStatus } from "#api/generated/types/apps-v1.ts";
import { objectKey } from "#api/object.ts";
import { isConflict } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import { defaultRetry, retryOnError } from "#base/go-backoff.ts";
import { isPodAvailable, isPodReady } from "#rules/pod-status.ts";
import { type Deps, minReadySecondsOf, replicasOf, revisionOf, type StatefulPod, type StatefulSet } from "./model.ts";
import type { Revisions } from "./revisions.ts";

/** The API server sets the phase when it stores the pod. */
export function isCreated({ status }: StatefulPod): boolean {
  return (status?.phase ?? "") !== "";
}

export function isTerminating({ metadata }: StatefulPod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isRunningAndReady(pod: StatefulPod): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod);
}

export function isUnavailable(set: StatefulSet, pod: StatefulPod, now: EpochMs): boolean {
  return !isPodAvailable(pod, minReadySecondsOf(set), now) || isTerminating(pod);
}

/** Nothing of the old status is kept, not even conditions. */
export function calculateStatus(
  set: StatefulSet,
  { current, update, collisionCount }: Revisions,
  pods: readonly StatefulPod[],
  now: EpochMs,
): StatefulSetStatus {
  const count = (test: (pod: StatefulPod) => boolean): number => pods.filter(test).length;
  const isAt = (name: string) => (pod: StatefulPod) =>
    isCreated(pod) && !isTerminating(pod) && revisionOf(pod) === name;
  const isAvailable = (pod: StatefulPod): boolean =>
    isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(set), now);
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: count(isCreated),
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count(isAvailable),
    currentReplicas: count(isAt(current.metadata.name)),
    updatedReplicas: count(isAt(update.metadata.name)),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
  };
}

/** Once all replicas are updated and ready, the revision of the template becomes the current one. */
export function withCompletedUpdate(set: StatefulSet, status: StatefulSetStatus): StatefulSetStatus {
  const { updatedReplicas = 0, readyReplicas, replicas, updateRevision = "" } = status;
  const isComplete =
    set.spec?.updateStrategy?.type === "RollingUpdate" &&
    [updatedReplicas, readyReplicas, replicas].every((count) => count === replicasOf(set));
  return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;
}

/** The collision count is not compared. */
export function isSameStatus(old: StatefulSetStatus | undefined, status: StatefulSetStatus): boolean {
  return (
    (status.observedGeneration ?? 0) <= (old?.observedGeneration ?? 0) &&
    status.replicas === (old?.replicas ?? 0) &&
    (status.currentReplicas ?? 0) === (old?.currentReplicas ?? 0) &&
    (status.readyReplicas ?? 0) === (old?.readyReplicas ?? 0) &&
    (status.updatedReplicas ?? 0) === (old?.updatedReplicas ?? 0) &&
    (status.availableReplicas ?? 0) === (old?.availableReplicas ?? 0) &&
    status.currentRevision === (old?.currentRevision ?? "") &&
    status.updateRevision === (old?.updateRevision ?? "")
  );
}

/** After a conflict the status is written on the object that is in the cache by then. */
export async function writeStatus(
  set: StatefulSet,
  status: StatefulSetStatus,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const key = objectKey(set);
  let target = set;
  const attempt = async (): Promise<StatefulSet> => {
    try {
      return await deps.setsApi.updateStatus({ object: { ...target, status: withoutZeros(status) } }, signal);
    } catch (error) {
      target = deps.sets.lister.get(key) ?? target;
      throw error;
    }
  };
  const { metadata } = await retryOnError(defaultRetry, isConflict, attempt, deps, signal);
  deps.consistency.wroteAt(key, metadata.uid, StatefulSets, metadata.resourceVersion);
}

const ALWAYS_WRITTEN = ["replicas", "availableReplicas", "collisionCount"];

/** As Go writes it: counts of 0 are left out, except for three. */
function withoutZeros(status: StatefulSetStatus): StatefulSetStatus {
  const entries = Object.entries(status).filter(([name, value]) => value !== 0 || ALWAYS_WRITTEN.includes(name));
  return Object.fromEntries(entries) as unknown as StatefulSetStatus;
}
