// The completion index of a pod, and the failure counts of that index in its annotations.
// Upstream: pkg/controller/job/indexed_job_utils.go.

import { parseInt64 } from "#api/go-text.ts";
import { finishedTime } from "./backoff.ts";
import { hasFinalizer } from "./finalizers.ts";
import { hasIndex, type Indexes } from "./indexes.ts";
import { completionsOf, type Job, type StoredPod } from "./model.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { isPodFailed } from "./pod-outcome.ts";

export const INDEX = "batch.kubernetes.io/job-completion-index";
export const FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
export const IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";

const INT32_MAX = 2 ** 31 - 1;

/** Undefined if the annotation is missing or not an index. */
export function completionIndex({ metadata }: StoredPod): number | undefined {
  const index = readNumber(metadata.annotations?.[INDEX]);
  return index === undefined || index < 0 ? undefined : index;
}

/** The index, if it is below the Job's completions. */
export function validIndex(job: Job, pod: StoredPod): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < completionsOf(job) ? index : undefined;
}

export function indexesOf(pods: readonly StoredPod[]): ReadonlySet<number> {
  return new Set(pods.map(completionIndex).filter((index) => index !== undefined));
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parsed = parseInt64(text, "Atoi");
  return "error" in parsed ? undefined : Number(parsed.value);
}

interface FailureCounts {
  /** Failures of the index before this pod. */
  readonly counted: number;
  /** The failures that the pod failure policy ignored. */
  readonly ignored: number;
}

function failureCounts({ metadata }: StoredPod): FailureCounts {
  const read = (annotation: string): number => {
    const count = readNumber(metadata.annotations?.[annotation]) ?? 0;
    return count < 0 || count > INT32_MAX ? 0 : count;
  };
  return { counted: read(FAILURE_COUNT), ignored: read(IGNORED_FAILURE_COUNT) };
}

const allFailures = (pod: StoredPod): number => failureCounts(pod).counted + failureCounts(pod).ignored;

/** The counts for the pod that replaces this one. */
export function countsAfter(job: Job, replaced: StoredPod | undefined): FailureCounts {
  if (replaced === undefined) return { counted: 0, ignored: 0 };
  const { counted, ignored } = failureCounts(replaced);
  return judgeFailure(job.spec?.podFailurePolicy, replaced).counts
    ? { counted: counted + 1, ignored }
    : { counted, ignored: ignored + 1 };
}

/** The failures of an index including this pod, and the time of the last one. */
export function backoffOfIndex(lastFailed: StoredPod): { readonly failures: number; readonly lastFailureMs: number } {
  return { failures: allFailures(lastFailed) + 1, lastFailureMs: finishedTime(lastFailed) };
}

/** True if the pod ends its index: no other pod is created for it. */
export function failsIndex(job: Job, pod: StoredPod): boolean {
  if (!hasFinalizer(pod) || !isPodFailed(job, pod)) return false;
  const { action, counts } = judgeFailure(job.spec?.podFailurePolicy, pod);
  return action === "FailIndex" || (counts && failureCounts(pod).counted >= (job.spec?.backoffLimitPerIndex ?? 0));
}

interface IndexStates {
  readonly active: ReadonlySet<number>;
  readonly succeeded: Indexes;
  readonly failed: Indexes;
}

/** By index, the failed pod that keeps its finalizer until its replacement has taken over its failure count. */
export function lastFailedPods(
  job: Job,
  uncounted: readonly StoredPod[],
  { active, succeeded, failed }: IndexStates,
): ReadonlyMap<number, StoredPod> {
  const last = new Map<number, StoredPod>();
  for (const pod of uncounted) {
    const index = validIndex(job, pod);
    if (index === undefined || !isPodFailed(job, pod)) continue;
    if (hasIndex(succeeded, index) || hasIndex(failed, index) || active.has(index)) continue;
    const known = last.get(index);
    const isLater =
      known === undefined || (allFailures(known) <= allFailures(pod) && finishedTime(pod) >= finishedTime(known));
    if (isLater) last.set(index, pod);
  }
  return last;
}
