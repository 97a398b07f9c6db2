// The state of one sync: the Job's pods and their outcomes, and the status to be written.
// Upstream: pkg/controller/job/job_controller.go, syncJobCtx, getNewFinishedPods, getValidPodsWithFilter.

import type { JobCondition, JobStatus } from "#api/generated/types/batch-v1.ts";
import { objectKey } from "#api/object.ts";
import { isPodActive, isPodReady, isPodTerminating } from "#rules/pod-status.ts";
import { type BackoffRecord, nextRecord, noFailures } from "./backoff.ts";
import { hasFinalizer } from "./finalizers.ts";
import { countOf, type Indexes, parseIndexes, withIndexes } from "./indexes.ts";
import {
  completionsOf,
  type Deps,
  hasLimitPerIndex,
  isIndexed,
  type Job,
  type PodGroup,
  type StoredPod,
} from "./model.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { failsIndex, indexesOf, lastFailedPods, validIndex } from "./pod-index.ts";
import { hasSucceeded, isPodFailed } from "./pod-outcome.ts";

export type StatusDraft = { -readonly [K in keyof JobStatus]?: JobStatus[K] | undefined };

export interface SyncState {
  readonly key: string;
  /** The Job with the status of this sync's last write. */
  job: Job;
  /** The status of the next write. */
  status: StatusDraft;
  readonly pods: readonly StoredPod[];
  readonly activePods: readonly StoredPod[];
  /** The counted pods: those in the status, those in its uncounted lists, and the new ones. */
  readonly succeeded: number;
  readonly failed: number;
  active: number;
  ready: number;
  terminating: number;
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  /** UIDs of pods without a finalizer that the cache still shows with one. */
  readonly awaitedRemovals: ReadonlySet<string>;
  /** Includes the new pods. */
  readonly backoff: BackoffRecord;
  /** For an Indexed Job: the indexes of the status, and those with the new pods. */
  readonly storedIndexes: Indexes;
  readonly succeededIndexes: Indexes;
  /** Set with a back-off limit per index. */
  readonly failedIndexes: Indexes | undefined;
  readonly lastFailed: ReadonlyMap<number, StoredPod>;
  readonly podGroup: PodGroup | undefined;
  /** The condition that ends the Job. */
  end: JobCondition | undefined;
}

export function readSyncState(
  job: Job,
  pods: readonly StoredPod[],
  podGroup: PodGroup | undefined,
  deps: Deps,
): SyncState {
  const key = objectKey(job);
  const status: StatusDraft = { ...job.status, uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {} };
  const awaitedRemovals = deps.awaitedRemovals.of(key);
  const uncounted = {
    succeeded: new Set(status.uncountedTerminatedPods?.succeeded),
    failed: new Set(status.uncountedTerminatedPods?.failed),
  };
  const tracked = pods.filter((pod) => hasFinalizer(pod) && !awaitedRemovals.has(pod.metadata.uid));
  const valid = isIndexed(job) ? tracked.filter((pod) => validIndex(job, pod) !== undefined) : tracked;
  const newlySucceeded = valid.filter((pod) => hasSucceeded(pod) && !uncounted.succeeded.has(pod.metadata.uid));
  const newlyFailed = valid.filter((pod) => isPodFailed(job, pod) && !uncounted.failed.has(pod.metadata.uid));
  const activePods = pods.filter(isPodActive);
  const policy = job.spec?.podFailurePolicy;
  const counted = newlyFailed.filter((pod) => judgeFailure(policy, pod).counts).length;
  const indexes = indexStates(job, pods, activePods, valid);
  return {
    key,
    job,
    status,
    pods,
    activePods,
    succeeded: isIndexed(job)
      ? countOf(indexes.succeededIndexes)
      : (status.succeeded ?? 0) + newlySucceeded.length + uncounted.succeeded.size,
    failed: (status.failed ?? 0) + counted + uncounted.failed.size,
    active: activePods.length,
    ready: activePods.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    uncounted,
    awaitedRemovals,
    backoff: nextRecord(deps.backoffs.get(key) ?? noFailures, newlySucceeded, newlyFailed),
    ...indexes,
    podGroup,
    end: undefined,
  };
}

type IndexStates = Pick<SyncState, "storedIndexes" | "succeededIndexes" | "failedIndexes" | "lastFailed">;

function indexStates(
  job: Job,
  pods: readonly StoredPod[],
  activePods: readonly StoredPod[],
  valid: readonly StoredPod[],
): IndexStates {
  if (!isIndexed(job)) {
    return { storedIndexes: [], succeededIndexes: [], failedIndexes: undefined, lastFailed: new Map() };
  }
  const indexesOfAll = (test: (pod: StoredPod) => boolean): number[] =>
    pods.filter((pod) => hasFinalizer(pod) && test(pod)).flatMap((pod) => validIndex(job, pod) ?? []);
  const stored = (text = ""): Indexes => parseIndexes(text, completionsOf(job));
  const storedIndexes = stored(job.status?.completedIndexes);
  const succeededIndexes = withIndexes(storedIndexes, indexesOfAll(hasSucceeded));
  if (!hasLimitPerIndex(job)) {
    return { storedIndexes, succeededIndexes, failedIndexes: undefined, lastFailed: new Map() };
  }
  const failing = indexesOfAll((pod) => failsIndex(job, pod));
  const failedIndexes = withIndexes(stored(job.status?.failedIndexes), failing);
  const lastFailed = lastFailedPods(job, valid, {
    active: indexesOf(activePods),
    succeeded: succeededIndexes,
    failed: failedIndexes,
  });
  return { storedIndexes, succeededIndexes, failedIndexes, lastFailed };
}
