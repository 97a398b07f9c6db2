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
import type { Picture, StatusDraft } from "./picture.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { completionIndex, validIndex } from "./pod-index.ts";
import { hasSucceeded, isPodFailed } from "./pod-outcome.ts";

/** The most UIDs in one status, and the most pods that one sync counts. */
const UNCOUNTED_MAX = 500;

/** needsWrite: the status already differs from the stored one. */
export async function trackPods(picture: Picture, needsWrite: boolean, deps: Deps, signal: AbortSignal): Promise<void> {
  const old: JobStatus = { ...picture.job.status };
  const { status } = picture;
  const withFinalizer = new Set(trackedPods(picture).map(({ metadata }) => metadata.uid));
  let isChanged = countUids(status, withFinalizer) || needsWrite;
  const batch = nextBatch(picture);
  isChanged = noteBatch(picture, batch) || isChanged;
  isChanged = noteEnd(picture, deps) || isChanged;

  let counters = old;
  if (isChanged) {
    await writeStatus(picture, "adding uncounted pods to status", deps, signal);
    deps.backoffs.set(picture.key, picture.backoff);
    countFinished(deps.metrics, picture.job, old, picture.status as JobStatus);
    counters = { ...picture.job.status };
  }
  for (const [action, count] of batch.actions) deps.metrics.handledFailures.inc([action], count);

  const error = await removeFinalizers(picture, batch.pods, withFinalizer, deps, signal);
  const isCounted = countUids(picture.status, withFinalizer);
  if (error !== undefined) {
    if (isCounted) await writeStatus(picture, "removing uncounted pods from status", deps, signal);
    throw error;
  }
  const isFinished = !batch.isFull && finish(picture, deps);
  if (!isCounted && !isFinished) return;
  await writeStatus(picture, "removing uncounted pods from status", deps, signal);
  if (isFinished) reportEnd(picture, deps);
  countFinished(deps.metrics, picture.job, counters, picture.status as JobStatus);
}

/** The pods that are not counted yet, as far as the cache shows. */
function trackedPods({ pods, awaitedRemovals }: Picture): readonly StoredPod[] {
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

function nextBatch(picture: Picture): Batch {
  const { job, status, uncounted, storedIndexes, end } = picture;
  const { succeeded: namedSucceeded = [], failed: namedFailed = [] } = status.uncountedTerminatedPods ?? {};
  const pods: StoredPod[] = [];
  const succeeded: string[] = [];
  const failed: string[] = [];
  const indexes: number[] = [];
  const actions = new Map<string, number>();
  const byIndex = (pod: StoredPod): number => completionIndex(pod) ?? -1;
  const tracked = trackedPods(picture);
  // A Job that ends in success does not count the pods that it deletes as failed.
  const endsBadly = end !== undefined && end.type !== "SuccessCriteriaMet";
  for (const pod of isIndexed(job) ? tracked.toSorted((a, b) => byIndex(a) - byIndex(b)) : tracked) {
    const { uid } = pod.metadata;
    const isFailed = isPodFailed(job, pod);
    if (!mayRemoveFinalizer(picture, pod, isFailed)) continue;
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
function mayRemoveFinalizer({ job, end, lastFailed }: Picture, pod: StoredPod, isFailed: boolean): boolean {
  if (job.metadata.deletionTimestamp !== undefined || end !== undefined || hasSucceeded(pod)) return true;
  if (!isFailed) return false;
  const index = hasLimitPerIndex(job) ? completionIndex(pod) : undefined;
  return index === undefined || lastFailed.get(index)?.metadata.uid !== pod.metadata.uid;
}

function noteBatch(picture: Picture, batch: Batch): boolean {
  const { job, status } = picture;
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
  const completed = formatIndexes(withIndexes(picture.succeededIndexes, batch.indexes));
  const failed = picture.failedIndexes && formatIndexes(picture.failedIndexes);
  const isChanged = completed !== (status.completedIndexes ?? "") || failed !== status.failedIndexes;
  status.succeeded = picture.succeeded;
  status.completedIndexes = completed;
  status.failedIndexes = failed;
  return isNamed || isChanged || batch.indexes.length > 0;
}

/** The interim condition is written before any finalizer is removed; the terminal one follows. */
function noteEnd(picture: Picture, deps: Deps): boolean {
  const { status, end } = picture;
  if (end?.type !== "FailureTarget" && end?.type !== "SuccessCriteriaMet") return false;
  const conditions = status.conditions ?? [];
  const isKnown = conditions.some(({ type, status }) => type === end.type && status === "True");
  if (!isKnown) status.conditions = [...conditions, end];
  const type = end.type === "FailureTarget" ? "Failed" : "Complete";
  picture.end = newCondition(type, "True", end.reason ?? "", end.message ?? "", deps.clock.now());
  return !isKnown;
}

/** Pods that are gone are skipped. Returns the first error. */
async function removeFinalizers(
  { key }: Picture,
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
function finish(picture: Picture, deps: Deps): boolean {
  const { status, end } = picture;
  if (end === undefined || picture.terminating > 0) return false;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) return false;
  const { type, reason = "", message = "" } = end;
  const condition = newCondition(type, "True", reason, message, deps.clock.now());
  status.conditions = withJobCondition(status.conditions ?? [], condition) ?? status.conditions;
  if (type === "Complete") status.completionTime = end.lastTransitionTime;
  return true;
}

function reportEnd({ job, end }: Picture, deps: Deps): void {
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
async function writeStatus(picture: Picture, what: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const status = Object.fromEntries(
    Object.entries(picture.status).filter(([part, value]) => value !== undefined && !isOmitted(part, value)),
  ) as JobStatus;
  let updated: typeof picture.job;
  try {
    updated = await deps.jobsApi.updateStatus({ object: { ...picture.job, status } }, signal);
  } catch (error) {
    throw new Error(`tracking status: ${what}: ${errorMessage(error)}`, { cause: error });
  }
  const { uid, resourceVersion } = updated.metadata;
  deps.consistency.wroteAt(picture.key, uid, Jobs, resourceVersion);
  picture.job = updated;
  picture.status = { ...updated.status, uncountedTerminatedPods: updated.status?.uncountedTerminatedPods ?? {} };
}

const OMITTED_WHEN_ZERO = ["active", "succeeded", "failed", "completedIndexes"];

const isOmitted = (part: string, value: unknown): boolean =>
  OMITTED_WHEN_ZERO.includes(part) && (value === 0 || value === "");
