// The status of a replica owner, computed from its pods at one instant and written only when it changed.
// Upstream: pkg/controller/replicaset/replica_set_utils.go.

import { semanticEqual } from "#api/equality.ts";
import type { ReplicaSetCondition, ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { findCondition, withCondition, withoutCondition } from "#kit/conditions.ts";
import { updateStatus } from "#kit/status-write.ts";
import { isPodAvailable } from "#rules/pod-status.ts";
import type { Deps } from "./deps.ts";
import type { OwnPods } from "./pods.ts";
import type { ReplicaObject } from "./replica-kind.ts";

export interface StatusInput {
  readonly pods: OwnPods;
  /** The error of scaling; undefined when it succeeded or was not tried. */
  readonly scaleError: unknown;
  readonly reportsTerminating: boolean;
  readonly now: EpochMs;
}

/** Counts the pods as they were before this sync created or deleted any. */
export function calculateStatus(owner: ReplicaObject, input: StatusInput): ReplicaSetStatus {
  const { active, terminating, fullyLabeled, ready } = input.pods;
  const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
  const conditions = withReplicaFailure(owner, input);
  return {
    replicas: active.length,
    fullyLabeledReplicas: fullyLabeled,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, input.now)).length,
    ...(input.reportsTerminating ? { terminatingReplicas: terminating.length } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** ReplicaFailure is set once and keeps its first message until a sync succeeds. */
function withReplicaFailure(owner: ReplicaObject, input: StatusInput): readonly ReplicaSetCondition[] {
  const conditions = owner.status?.conditions ?? [];
  if (input.scaleError === undefined) return withoutCondition(conditions, "ReplicaFailure");
  if (findCondition(conditions, "ReplicaFailure") !== undefined) return conditions;
  const isShort = input.pods.active.length < (owner.spec?.replicas ?? 1);
  return withCondition(conditions, {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(input.now),
    reason: isShort ? "FailedCreate" : "FailedDelete",
    message: errorMessage(input.scaleError),
  });
}

/**
 * Writes the status if it changed, and returns the newest object. observedGeneration is that of the object this sync
 * acted on, even when the write is repeated on a newer object, because the sync has not seen the newer spec.
 */
export async function writeStatus<T extends ReplicaObject>(
  owner: T,
  status: ReplicaSetStatus,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<T> {
  const { generation } = owner.metadata;
  if (generation === (owner.status?.observedGeneration ?? 0) && isSameStatus(owner.status, status)) return owner;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return updateStatus(deps.ownersApi, owner, { ...status, ...observed }, signal);
}

/** The observed generation is compared elsewhere. A missing count equals 0, except for terminating pods. */
export function isSameStatus(a: ReplicaSetStatus | undefined, b: ReplicaSetStatus): boolean {
  return (
    (a?.replicas ?? 0) === b.replicas &&
    (a?.fullyLabeledReplicas ?? 0) === (b.fullyLabeledReplicas ?? 0) &&
    (a?.readyReplicas ?? 0) === (b.readyReplicas ?? 0) &&
    (a?.availableReplicas ?? 0) === (b.availableReplicas ?? 0) &&
    a?.terminatingReplicas === b.terminatingReplicas &&
    semanticEqual(a?.conditions ?? [], b.conditions ?? [])
  );
}
