// The status of a Deployment: computed from its ReplicaSets, written when it changed, and checked again after the
// progress deadline.
// Upstream: pkg/controller/deployment/sync.go, calculateStatus; progress.go.

import { semanticEqual } from "#api/equality.ts";
import type { DeploymentCondition, DeploymentStatus } from "#api/generated/types/apps-v1.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { findCondition, withCondition, withoutCondition } from "#kit/conditions.ts";
import { backOff, done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import {
  allSets,
  availableOf,
  type Deployment,
  type Deps,
  type ReplicaSet,
  type Rollout,
  replicasOf,
  sum,
} from "./model.ts";
import { maxUnavailable } from "./sizes.ts";

const INT32_MAX = 2 ** 31 - 1;

type Conditions = readonly DeploymentCondition[];

export function hasProgressDeadline({ spec }: Deployment): boolean {
  return (spec?.progressDeadlineSeconds ?? INT32_MAX) !== INT32_MAX;
}

export function progressing({ status }: Deployment): DeploymentCondition | undefined {
  return findCondition(status?.conditions ?? [], "Progressing");
}

/**
 * Sets the condition, unless one with the same status and reason exists. An unchanged status keeps its transition time.
 */
export function setCondition(
  conditions: Conditions,
  given: Pick<DeploymentCondition, "type" | "status" | "reason" | "message">,
  now: EpochMs,
): Conditions {
  const time = formatTime(now);
  const known = findCondition(conditions, given.type);
  const lastTransitionTime = known?.status === given.status ? (known.lastTransitionTime ?? time) : time;
  return withCondition(conditions, { ...given, lastUpdateTime: time, lastTransitionTime });
}

/** The Deployment with a Progressing condition in its status. */
export function withProgress(
  deployment: Deployment,
  condition: Pick<DeploymentCondition, "status" | "reason" | "message">,
  now: EpochMs,
): Deployment {
  const { status = {} } = deployment;
  const conditions = setCondition(status.conditions ?? [], { type: "Progressing", ...condition }, now);
  return { ...deployment, status: { ...status, conditions } };
}

/** Pausing stops the clock of the deadline, resuming starts it. An exceeded deadline stays exceeded. */
export function pauseCondition(deployment: Deployment, now: EpochMs): Deployment | undefined {
  const reason = progressing(deployment)?.reason;
  if (!hasProgressDeadline(deployment) || reason === "ProgressDeadlineExceeded") return undefined;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (reason === "DeploymentPaused")) return undefined;
  const condition = isPaused
    ? { status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" }
    : { status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed" };
  return withProgress(deployment, condition, now);
}

/** Outside of a rollout: only counts and availability. */
export async function syncStatus(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const status = calculateStatus(rollout, deps.clock.now(), deps);
  await writeStatus(rollout.deployment, status, deps, signal);
  return done;
}

/** During a rollout: also its progress and the failures of its ReplicaSets. */
export async function syncRolloutStatus(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { deployment } = rollout;
  const now = deps.clock.now();
  const counted = calculateStatus(rollout, now, deps);
  const conditions = withReplicaFailure(progressed(rollout, counted, now), rollout);
  const status = withConditions(counted, conditions);
  if (await writeStatus(deployment, status, deps, signal)) return done;
  return nextProgressCheck(deployment, status, deps.clock.now());
}

export function calculateStatus(
  rollout: Rollout,
  now: EpochMs,
  options: Pick<Deps, "reportsTerminating">,
): DeploymentStatus {
  const { deployment, newSet } = rollout;
  const sets = allSets(rollout);
  const available = sum(sets, availableOf);
  const hasMinimum = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const terminating = options.reportsTerminating ? terminatingOf(sets) : undefined;
  const counts = positive({
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets, replicasOf) - available),
  });
  return {
    ...counts,
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: setCondition(conditions, hasMinimum ? MINIMUM_AVAILABLE : MINIMUM_UNAVAILABLE, now),
  };
}

const MINIMUM_AVAILABLE = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
};
const MINIMUM_UNAVAILABLE = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

/** Undefined when a ReplicaSet does not report the number: the sum would be wrong. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of sets) {
    const { observedGeneration = 0, terminatingReplicas } = status ?? {};
    if (terminatingReplicas === undefined && observedGeneration > 0) return undefined;
    total += terminatingReplicas ?? 0;
  }
  return total;
}

/** Counts of 0 are left out on the wire. */
function positive<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus = deployment.status ?? {}): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** More updated, fewer old, more ready or more available replicas than before. */
function hasProgressed({ status: before = {} }: Deployment, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut({ spec }: Deployment, conditions: Conditions, now: EpochMs): boolean {
  const condition = findCondition(conditions, "Progressing");
  if (condition === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  const since = timeOrUndefined(condition.lastUpdateTime) ?? 0;
  return since + (spec?.progressDeadlineSeconds ?? 0) * 1000 < now;
}

/** The conditions after the Progressing condition was updated from the counts. */
function progressed({ deployment, newSet }: Rollout, status: DeploymentStatus, now: EpochMs): Conditions {
  const { conditions = [], replicas = 0, updatedReplicas = 0 } = status;
  if (!hasProgressDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  const current = progressing(deployment);
  if (replicas === updatedReplicas && current?.reason === "NewReplicaSetAvailable") return conditions;
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  const type = "Progressing";
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return setCondition(conditions, { type, status: "True", reason: "NewReplicaSetAvailable", message }, now);
  }
  if (hasProgressed(deployment, status)) {
    // Written even with the same status and reason, because the deadline counts from lastUpdateTime.
    const message = `${subject} is progressing.`;
    const time = formatTime(now);
    const lastTransitionTime = current?.status === "True" ? (current.lastTransitionTime ?? time) : time;
    const condition = { type, status: "True", reason: "ReplicaSetUpdated", message };
    return [...withoutCondition(conditions, type), { ...condition, lastUpdateTime: time, lastTransitionTime }];
  }
  if (hasTimedOut(deployment, conditions, now)) {
    const message = `${subject} has timed out progressing.`;
    return setCondition(conditions, { type, status: "False", reason: "ProgressDeadlineExceeded", message }, now);
  }
  return conditions;
}

/** The ReplicaFailure of the new ReplicaSet, or else of any other. */
function withReplicaFailure(conditions: Conditions, rollout: Rollout): Conditions {
  const { newSet } = rollout;
  const sets = newSet === undefined ? rollout.oldSets : [newSet, ...rollout.oldSets];
  const [failure] = sets.flatMap(({ status }) => findCondition(status?.conditions ?? [], "ReplicaFailure") ?? []);
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const known = findCondition(conditions, "ReplicaFailure");
  const { lastTransitionTime: failedAt, ...rest } = failure;
  const since = known?.status === failure.status ? known.lastTransitionTime : failedAt;
  return withCondition(conditions, {
    ...rest,
    ...(failedAt === undefined ? {} : { lastUpdateTime: failedAt }),
    ...(since === undefined ? {} : { lastTransitionTime: since }),
  });
}

function withConditions(status: DeploymentStatus, conditions: Conditions): DeploymentStatus {
  const { conditions: _, ...counts } = status;
  return conditions.length === 0 ? counts : { ...counts, conditions };
}

/** Returns whether the status had to be written. */
async function writeStatus(
  deployment: Deployment,
  status: DeploymentStatus,
  deps: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  if (semanticEqual(deployment.status, status)) return false;
  await deps.deploymentsApi.updateStatus({ object: { ...deployment, status } }, signal);
  return true;
}

/** A Deployment without progress gets no events, so it is checked again after a time. */
function nextProgressCheck(deployment: Deployment, status: DeploymentStatus, now: EpochMs): SyncResult {
  const current = progressing(deployment);
  if (!hasProgressDeadline(deployment) || current === undefined) return done;
  if (isComplete(deployment, status) || current.reason === "ProgressDeadlineExceeded") return done;
  const since = timeOrUndefined(current.lastUpdateTime) ?? 0;
  const leftMs = since + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - now;
  return leftMs < 1000 ? backOff("progress deadline") : requeueAfter(leftMs + 1000, "progress deadline");
}
