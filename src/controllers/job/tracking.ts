// Counts each finished pod exactly once, even if the program ends between two steps. First the status lists the UIDs of
// finished pods. Then their finalizers are removed. Then the status counts them and drops the UIDs. A UID whose pod has
// no finalizer is counted; a UID whose pod still has it is counted later. An Indexed Job counts successes by index and
// needs no UIDs.
// Upstream: pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers, flushUncountedAndRemoveFinalizers.

import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { JobStatus } from "#api/generated/types/batch-v1.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { newCondition, withJobCondition } from "./end-state.ts";
import { hasFinalizer, REMOVAL } from "./finalizers.ts";
import { formatIndexes, hasIndex, withIndexes } from "./indexes.ts";
import { countFinished } from "./metrics.ts";
import { completionModeOf, type Deps, hasLimitPerIndex, isIndexed, type StoredPod } from "./model.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { completionIndex, validIndex } from "./pod-index.ts";
import { hasSucceeded, isPodFailed } from "./pod-outcome.ts";
import type { StatusDraft, SyncState } from "./sync-state.ts";

/** The most UIDs in one status, and the most pods that one sync counts. */
const UNCOUNTED_MAX = 500;

/** needsWrite: the status already differs from the stored one. */
export async function trackPods(state: SyncState, needsWrite: boolean, deps: Deps, signal: AbortSignal): Promise<void> {
  const old: JobStatus = { ...state.job.status };
  const { status } = state;
  const withFinalizer = new Set(trackedPods(state).map(({ metadata }) => metadata.uid));
  let isChanged = countUids(status, withFinalizer) || needsWrite;
  const batch = nextBatch(state);
  isChanged = noteBatch(state, batch) || isChanged;
  isChanged = noteEnd(state, deps) || isChanged;

  let counters = old;
  if (isChanged) {
    await writeStatus(state, "adding uncounted pods to status", deps, signal);
    deps.backoffs.set(state.key, state.backoff);
    countFinished(deps.metrics, state.job, old, state.status as JobStatus);
    counters = { ...state.job.status };
  }
  for (const [action, count] of batch.actions) deps.metrics.handledFailures.inc([action], count);

  const error = await removeFinalizers(state, batch.pods, withFinalizer, deps, signal);
  const isCounted = countUids(state.status, withFinalizer);
  if (error !== undefined) {
    if (isCounted) await writeStatus(state, "removing uncounted pods from status", deps, signal);
    throw error;
  }
  const isFinished = !batch.isFull && finish(state, deps);
  if (!isCounted && !isFinished) return;
  await writeStatus(state, "removing uncounted pods from status", deps, signal);
  if (isFinished) reportEnd(state, deps);
  countFinished(deps.metrics, state.job, counters, state.status as JobStatus);
}

/** The pods that are not counted yet, as far as the cache shows. */
function trackedPods({ pods, awaitedRemovals }: SyncState): readonly StoredPod[] {
  return pods.filter((pod) => hasFinalizer(pod) && !awaitedRemovals.has(pod.metadata.uid));
}

/** Moves the UIDs of pods without a finalizer from the lists to the counts. */
function countUids(status: StatusDraft, withFinalizer: ReadonlySet<string>): boolean {
  const lists = status.uncountedTerminatedPods ?? {};
  let isChanged = false;
  for (const part of ["succeeded", "failed"] as const) {
    const uids = lists[part] ?? [];
    const left = uids.filter((uid) => withFinalizer.has(uid));
    if (left.length === uids.length) continue;
    isChanged = true;
    status[part] = (status[part] ?? 0) + uids.length - left.length;
    const { [part]: _, ...others } = status.uncountedTerminatedPods ?? {};
    status.uncountedTerminatedPods = left.length === 0 ? others : { ...others, [part]: left };
  }
  return isChanged;
}

interface Batch {
  /** The pods whose finalizers are removed. */
  readonly pods: readonly StoredPod[];
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  readonly indexes: readonly number[];
  /** By action of the pod failure policy. */
  readonly actions: ReadonlyMap<string, number>;
  /** There may be more: the events of this batch trigger the next sync. */
  readonly isFull: boolean;
}

function nextBatch(state: SyncState): Batch {
  const { job, status, uncounted, storedIndexes, end } = state;
  const { succeeded: namedSucceeded = [], failed: namedFailed = [] } = status.uncountedTerminatedPods ?? {};
  const pods: StoredPod[] = [];
  const succeeded: string[] = [];
  const failed: string[] = [];
  const indexes: number[] = [];
  const actions = new Map<string, number>();
  const byIndex = (pod: StoredPod): number => completionIndex(pod) ?? -1;
  const tracked = trackedPods(state);
  // A Job that ends in success does not count the pods that it deletes as failed.
  const endsBadly = end !== undefined && end.type !== "SuccessCriteriaMet";
  for (const pod of isIndexed(job) ? tracked.toSorted((a, b) => byIndex(a) - byIndex(b)) : tracked) {
    const { uid } = pod.metadata;
    const isFailed = isPodFailed(job, pod);
    if (!mayRemoveFinalizer(state, pod, isFailed)) continue;
    pods.push(pod);
    const index = validIndex(job, pod);
    if (hasSucceeded(pod) && !uncounted.failed.has(uid)) {
      if (!isIndexed(job)) {
        if (!uncounted.succeeded.has(uid)) succeeded.push(uid);
      } else if (index !== undefined && !hasIndex(storedIndexes, index)) indexes.push(index);
    } else if ((isFailed || endsBadly) && !uncounted.failed.has(uid) && (!isIndexed(job) || index !== undefined)) {
      const { action, counts } = judgeFailure(job.spec?.podFailurePolicy, pod);
      if (action !== undefined) actions.set(action, (actions.get(action) ?? 0) + 1);
      if (counts) failed.push(uid);
    }
    const named = namedSucceeded.length + namedFailed.length + succeeded.length + failed.length;
    if (named + indexes.length >= UNCOUNTED_MAX) return { pods, succeeded, failed, indexes, actions, isFull: true };
  }
  return { pods, succeeded, failed, indexes, actions, isFull: false };
}

/** The last failed pod of an index keeps its finalizer until its replacement has taken over the failure count. */
function mayRemoveFinalizer({ job, end, lastFailed }: SyncState, pod: StoredPod, isFailed: boolean): boolean {
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined || hasSucceeded(pod)) return true;
  if (!isFailed) return false;
  const index = hasLimitPerIndex(job) ? completionIndex(pod) : undefined;
  return index === undefined || lastFailed.get(index)?.metadata.uid !== pod.metadata.uid;
}

function noteBatch(state: SyncState, batch: Batch): boolean {
  const { job, status } = state;
  const lists = status.uncountedTerminatedPods ?? {};
  const isNamed = batch.succeeded.length + batch.failed.length > 0;
  if (isNamed) {
    const succeeded = [...(lists.succeeded ?? []), ...batch.succeeded];
    const failed = [...(lists.failed ?? []), ...batch.failed];
    status.uncountedTerminatedPods = {
      ...(succeeded.length > 0 ? { succeeded } : {}),
      ...(failed.length > 0 ? { failed } : {}),
    };
  }
  if (!isIndexed(job)) return isNamed;
  const completed = formatIndexes(withIndexes(state.succeededIndexes, batch.indexes));
  const failed = state.failedIndexes && formatIndexes(state.failedIndexes);
  const isChanged = completed !== (status.completedIndexes ?? "") || failed !== status.failedIndexes;
  status.succeeded = state.succeeded;
  status.completedIndexes = completed;
  status.failedIndexes = failed;
  return isNamed || isChanged || batch.indexes.length > 0;
}

/** The interim condition is written before any finalizer is removed; the terminal one follows. */
function noteEnd(state: SyncState, deps: Deps): boolean {
  const { status, end } = state;
  if (end?.type !== "FailureTarget" && end?.type !== "SuccessCriteriaMet") return false;
  const conditions = status.conditions ?? [];
  const isKnown = conditions.some(({ type, status }) => type === end.type && status === "True");
  if (!isKnown) status.conditions = [...conditions, end];
  const type = end.type === "FailureTarget" ? "Failed" : "Complete";
  state.end = newCondition(type, "True", end.reason ?? "", end.message ?? "", deps.clock.now());
  return !isKnown;
}

/** Pods that are gone are skipped. Returns the first error. */
async function removeFinalizers(
  { key }: SyncState,
  pods: readonly StoredPod[],
  withFinalizer: Set<string>,
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  if (pods.length === 0) return undefined;
  deps.awaitedRemovals.expect(
    key,
    pods.map(({ metadata }) => metadata.uid),
  );
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      const { uid } = pod.metadata;
      try {
        await deps.podControl.patchPod(pod, REMOVAL, signal);
      } catch (error) {
        deps.awaitedRemovals.observed(key, uid); // no event will come for this pod
        if (!isNotFound(error)) throw error;
      }
      withFinalizer.delete(uid);
    }),
  );
  return results.find((result) => result.status === "rejected")?.reason;
}

/** Sets the terminal condition, once all pods are counted and none is terminating. */
function finish(state: SyncState, deps: Deps): boolean {
  const { status, end } = state;
  if (end === undefined || state.terminating > 0) return false;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) return false;
  const { type, reason = "", message = "" } = end;
  const condition = newCondition(type, "True", reason, message, deps.clock.now());
  status.conditions = withJobCondition(status.conditions ?? [], condition) ?? status.conditions;
  if (type === "Complete") status.completionTime = end.lastTransitionTime;
  return true;
}

function reportEnd({ job, end }: SyncState, deps: Deps): void {
  if (end === undefined) return;
  const reference = referenceTo(job, Jobs);
  const { completions = Number.POSITIVE_INFINITY } = job.spec ?? {};
  const { reason = "", message = "" } = end;
  if (end.type === "Complete") {
    if ((job.status?.succeeded ?? 0) > completions) {
      const surplus = "Too many succeeded pods running after completion count reached";
      deps.recorder.event(reference, "Warning", "TooManySucceededPods", surplus);
    }
    deps.recorder.event(reference, "Normal", "Completed", "Job completed");
  } else deps.recorder.event(reference, "Warning", reason, message);
  const result = end.type === "Complete" ? "succeeded" : "failed";
  deps.metrics.finishedJobs.inc([completionModeOf(job), result, reason]);
  deps.finished.add(job.metadata.uid);
}

/** Later steps continue with the Job that the server returned. */
async function writeStatus(state: SyncState, what: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const status = Object.fromEntries(
    Object.entries(state.status).filter(([part, value]) => value !== undefined && !isOmitted(part, value)),
  ) as JobStatus;
  let updated: typeof state.job;
  try {
    updated = await deps.jobsApi.updateStatus({ object: { ...state.job, status } }, signal);
  } catch (error) {
    throw new Error(`tracking status: ${what}: ${errorMessage(error)}`, { cause: error });
  }
  const { uid, resourceVersion } = updated.metadata;
  deps.consistency.wroteAt(state.key, uid, Jobs, resourceVersion);
  state.job = updated;
  state.status = { ...updated.status, uncountedTerminatedPods: updated.status?.uncountedTerminatedPods ?? {} };
}

const OMITTED_WHEN_ZERO = ["active", "succeeded", "failed", "completedIndexes"];

const isOmitted = (part: string, value: unknown): boolean =>
  OMITTED_WHEN_ZERO.includes(part) && (value === 0 || value === "");
