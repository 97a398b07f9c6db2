// Syncs one Job: its pods, whether and why it ends, the pods that it needs, and the status.
// Upstream: pkg/controller/job/job_controller.go, syncJob.

import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import { formatTime } from "#api/time.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { areCompletionsReached, deadlineInMs, endOf, newCondition, withJobCondition } from "./end-state.ts";
import { type Managed, managePods, type SyncAction } from "./manage.ts";
import { completionModeOf, type Deps, isFinished, isSuspended, type Job, otherManager } from "./model.ts";
import { claimPods, deleteActivePods } from "./pods.ts";
import { readSyncState, type SyncState } from "./sync-state.ts";
import { trackPods } from "./tracking.ts";

export async function syncJob(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  deps.consistency.requireFresh(key);
  const job = deps.jobs.lister.get(key);
  if (job === undefined) {
    deps.expectations.forget(key);
    deps.awaitedRemovals.forget(key);
    deps.consistency.clear(key);
    deps.backoffs.delete(key);
    return done;
  }
  if (otherManager(job) !== undefined) return done;
  const { uid } = job.metadata;
  if (isFinished(job)) {
    deps.backoffs.delete(key);
    deps.consistency.clear(key, uid);
    deps.finished.delete(uid);
    return done;
  }
  if (deps.finished.has(uid)) return done; // the cache does not show that the Job has finished
  const mode = job.spec?.completionMode ?? "NonIndexed";
  if (mode !== "NonIndexed" && mode !== "Indexed") {
    const message = "Skipped Job sync because completion mode is unknown";
    deps.recorder.event(referenceTo(job, Jobs), "Warning", "UnknownCompletionMode", message);
    return done;
  }
  await measured(job, deps, (setAction) => reconcile(key, job, setAction, deps, signal));
  return done;
}

async function measured(
  job: Job,
  { clock, metrics }: Deps,
  run: (setAction: (action: SyncAction) => void) => Promise<void>,
): Promise<void> {
  const startMs = clock.monotonicMs();
  let action: SyncAction = "reconciling";
  let result = "error";
  try {
    await run((chosen) => {
      action = chosen;
    });
    result = "success";
  } finally {
    const labels = [completionModeOf(job), result, action];
    metrics.syncSeconds.observe((clock.monotonicMs() - startMs) / 1000, labels);
    metrics.syncs.inc(labels);
  }
}

async function reconcile(
  key: string,
  job: Job,
  setAction: (action: SyncAction) => void,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  // Check before reading the pods: later events can only make the cache fresher than this result.
  const areExpectationsMet = deps.expectations.areMet(key);
  const pods = await claimPods(job, deps, signal);
  const podGroup = await deps.podGroupOf?.(job, pods, signal);
  const state = readSyncState(job, pods, podGroup, deps);
  const { status } = state;
  const now = deps.clock.now();
  if (status.startTime === undefined && !isSuspended(job)) status.startTime = formatTime(now);

  state.end = endOf(state, now);
  awaitDeadline(state, deps);
  let error: unknown;
  let hasSuspendChanged = false;
  if (state.end !== undefined) error = await endPods(state, areExpectationsMet, deps, signal);
  else {
    let managed: Managed | undefined;
    if (areExpectationsMet && job.metadata.deletionTimestamp === undefined) {
      managed = await managePods(state, deps, signal);
      setAction(managed.action);
      error = managed.error;
    }
    if (areCompletionsReached(state)) {
      const message = "Reached expected number of succeeded pods";
      state.end = newCondition("SuccessCriteriaMet", "True", "CompletionsReached", message, deps.clock.now());
    } else if (managed !== undefined) hasSuspendChanged = noteSuspension(state, deps);
  }
  const { active, ready, terminating } = state;
  const isChanged = active !== (status.active ?? 0) || ready !== status.ready || terminating !== status.terminating;
  Object.assign(status, { active, ready, terminating });
  await trackPods(state, hasSuspendChanged || isChanged, deps, signal);
  if (error !== undefined) throw error; // after the status write, which reports the work done
}

/** Ends the Job only if all active pods were deleted and the cache is known to be complete. */
async function endPods(
  state: SyncState,
  areExpectationsMet: boolean,
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  const error = await deleteActivePods(state, deps, signal);
  if (state.active !== 0 || !areExpectationsMet) state.end = undefined;
  return error;
}

function awaitDeadline(state: SyncState, deps: Deps): void {
  if (state.end !== undefined) return;
  const leftMs = deadlineInMs(state, deps.clock.now());
  if (leftMs !== undefined) deps.syncAfter(state.key, leftMs, "activeDeadlineSeconds");
}

/** The active time restarts when a Job is resumed. */
function noteSuspension({ job, status }: SyncState, deps: Deps): boolean {
  const now = deps.clock.now();
  const condition = isSuspended(job)
    ? newCondition("Suspended", "True", "JobSuspended", "Job suspended", now)
    : newCondition("Suspended", "False", "JobResumed", "Job resumed", now);
  const conditions = withJobCondition(status.conditions ?? [], condition);
  if (conditions === undefined) return false;
  status.conditions = conditions;
  const reason = isSuspended(job) ? "Suspended" : "Resumed";
  deps.recorder.event(referenceTo(job, Jobs), "Normal", reason, condition.message ?? "");
  if (!isSuspended(job)) status.startTime = formatTime(now);
  else if (deps.clearsStartTime) status.startTime = undefined;
  return true;
}
