// Why a Job ends, in the order of the checks: a decision of an earlier sync, failures, success.
// Upstream: pkg/controller/job/job_controller.go, syncJob, pastBackoffLimitOnFailure, pastActiveDeadline.

import type { JobCondition } from "#api/generated/types/batch-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { findCondition } from "#kit/conditions.ts";
import { countOf } from "./indexes.ts";
import { completionsOf, isIndexed, isSuspended, type Job, type StoredPod } from "./model.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { isPodFailed } from "./pod-outcome.ts";
import { metSuccessRule } from "./success-policy.ts";
import type { SyncState } from "./sync-state.ts";

export function newCondition(
  type: string,
  status: "True" | "False",
  reason: string,
  message: string,
  now: EpochMs,
): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/**
 * The conditions with this one at its position. Undefined: no change. A missing condition equals one with status False.
 */
export function withJobCondition(
  conditions: readonly JobCondition[],
  condition: JobCondition,
): readonly JobCondition[] | undefined {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const known = conditions[index];
  if (known === undefined) return condition.status === "False" ? undefined : [...conditions, condition];
  const isSame =
    known.status === condition.status &&
    (known.reason ?? "") === condition.reason &&
    (known.message ?? "") === condition.message;
  return isSame ? undefined : conditions.with(index, condition);
}

/** The condition of an earlier sync, or why the Job ends now; completions are checked after the pods are managed. */
export function endOf(state: SyncState, now: EpochMs): JobCondition | undefined {
  const { job, status } = state;
  const conditions = status.conditions ?? [];
  const success = findCondition(conditions, "SuccessCriteriaMet");
  if (success?.status === "True") return success;
  const failure = findCondition(conditions, "FailureTarget");
  if (failure?.status === "True") {
    return newCondition("Failed", "True", failure.reason ?? "", failure.message ?? "", now);
  }
  const failed = failureOf(state, now);
  if (failed !== undefined) return newCondition("FailureTarget", "True", ...failed, now);
  if (!isIndexed(job)) return undefined;
  const met = metSuccessRule(job.spec?.successPolicy, completionsOf(job), state.succeededIndexes);
  return met === undefined ? undefined : newCondition("SuccessCriteriaMet", "True", "SuccessPolicy", met, now);
}

function failureOf(state: SyncState, now: EpochMs): readonly [reason: string, message: string] | undefined {
  const { job, pods } = state;
  const failsJob = failJobMessage(job, pods);
  if (failsJob !== undefined) return ["PodFailurePolicy", failsJob];
  if (state.failed > (job.spec?.backoffLimit ?? 0) || isPastRestarts(job, pods)) {
    return ["BackoffLimitExceeded", "Job has reached the specified backoff limit"];
  }
  const leftMs = deadlineInMs(state, now);
  if (leftMs !== undefined && leftMs <= 0) {
    return ["DeadlineExceeded", "Job was active longer than specified deadline"];
  }
  if (state.failedIndexes === undefined) return undefined;
  const failed = countOf(state.failedIndexes);
  const { maxFailedIndexes = Number.POSITIVE_INFINITY } = job.spec ?? {};
  if (failed > maxFailedIndexes) {
    return ["MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"];
  }
  const isOver = failed > 0 && failed + countOf(state.succeededIndexes) >= completionsOf(job);
  return isOver ? ["FailedIndexes", "Job has failed indexes"] : undefined;
}

/** How long the Job may still be active; undefined without a deadline, and while it is suspended. */
export function deadlineInMs({ job, status }: SyncState, now: EpochMs): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const startedMs = timeOrUndefined(status.startTime);
  if (seconds === undefined || startedMs === undefined || isSuspended(job)) return undefined;
  return wrappedSecondsMs(seconds) - (now - startedMs);
}

function failJobMessage(job: Job, pods: readonly StoredPod[]): string | undefined {
  if (job.spec?.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const { failsJob } = isPodFailed(job, pod) ? judgeFailure(job.spec.podFailurePolicy, pod) : {};
    if (failsJob !== undefined) return failsJob;
  }
  return undefined;
}

/** Counts restarts of containers in place too. */
function isPastRestarts({ spec }: Job, pods: readonly StoredPod[]): boolean {
  if (spec?.template?.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      restarts += restartCount;
    }
  }
  return restarts >= Math.max(1, spec.backoffLimit ?? 0);
}

/** Enough pods have succeeded, and none is active any more. */
export function areCompletionsReached({ job, succeeded, active }: SyncState): boolean {
  return active === 0 && succeeded >= (job.spec?.completions ?? 1);
}
