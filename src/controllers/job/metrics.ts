// The metrics of the Job controller. Upstream: pkg/controller/job/metrics/metrics.go.

import type { JobStatus } from "#api/generated/types/batch-v1.ts";
import { type Counter, exponentialBuckets, type Histogram, type Metrics } from "#base/metrics.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { hasFinalizer } from "./finalizers.ts";
import { countOf, parseIndexes } from "./indexes.ts";
import { completionModeOf, completionsOf, hasLimitPerIndex, isIndexed, type Job, type StoredPod } from "./model.ts";

export interface JobMetrics {
  readonly syncSeconds: Histogram;
  readonly syncs: Counter;
  readonly finishedJobs: Counter;
  readonly externalJobs: Counter;
  readonly finishedPods: Counter;
  readonly handledFailures: Counter;
  readonly trackedPods: Counter;
  readonly finishedIndexes: Counter;
  readonly createdPods: Counter;
  readonly staleSyncSkips: Counter;
}

const SYNC_LABELS = ["completion_mode", "result", "action"] as const;

export function registerJobMetrics(metrics: Metrics): JobMetrics {
  return {
    syncSeconds: metrics.histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      stability: "STABLE",
      buckets: exponentialBuckets(0.004, 2, 15),
      labels: SYNC_LABELS,
    }),
    syncs: metrics.counter({
      name: "job_controller_job_syncs_total",
      help: "The number of job syncs",
      stability: "STABLE",
      labels: SYNC_LABELS,
    }),
    finishedJobs: metrics.counter({
      name: "job_controller_jobs_finished_total",
      help: "The number of finished jobs",
      stability: "STABLE",
      labels: ["completion_mode", "result", "reason"],
    }),
    externalJobs: metrics.counter({
      name: "job_controller_jobs_by_external_controller_total",
      help: "The number of Jobs managed by an external controller",
      stability: "ALPHA",
      labels: ["controller_name"],
    }),
    finishedPods: metrics.counter({
      name: "job_controller_job_pods_finished_total",
      help: "The number of finished Pods that are fully tracked",
      stability: "STABLE",
      labels: ["completion_mode", "result"],
    }),
    handledFailures: metrics.counter({
      name: "job_controller_pod_failures_handled_by_failure_policy_total",
      help: HANDLED_FAILURES_HELP,
      stability: "BETA",
      labels: ["action"],
    }),
    trackedPods: metrics.counter({
      name: "job_controller_terminated_pods_tracking_finalizer_total",
      help: TRACKED_PODS_HELP,
      stability: "BETA",
      labels: ["event"],
    }),
    finishedIndexes: metrics.counter({
      name: "job_controller_job_finished_indexes_total",
      help: FINISHED_INDEXES_HELP,
      stability: "ALPHA",
      labels: ["status", "backoffLimit"],
    }),
    createdPods: metrics.counter({
      name: "job_controller_job_pods_creation_total",
      help: CREATED_PODS_HELP,
      stability: "ALPHA",
      labels: ["reason", "status"],
    }),
    staleSyncSkips: metrics.counter({
      name: "job_controller_stale_sync_skips_total",
      help: "Total number of Job syncs skipped due to a stale watch cache.",
      stability: "ALPHA",
      labels: ["group", "resource"],
    }),
  };
}

// The line breaks and tabs of the next texts are upstream's.
const HANDLED_FAILURES_HELP = [
  "The number of failed Pods handled by failure policy with",
  "respect to the failure policy action applied based on the matched",
  "rule. Possible values of the action label correspond to the",
  "possible values for the failure policy rule action, which are:",
  '"FailJob", "Ignore" and "Count".',
].join("\n\t\t\t");

const TRACKED_PODS_HELP = `The number of terminated pods (phase=Failed|Succeeded)
that have the finalizer batch.kubernetes.io/job-tracking
The event label can be "add" or "delete".`;

const FINISHED_INDEXES_HELP = [
  "The number of finished indexes. Possible values for the",
  'status label are: "succeeded", "failed". Possible values for the',
  'backoffLimit label are: "perIndex" and "global"',
].join("\n\t\t\t");

const CREATED_PODS_HELP = `The number of Pods created by the Job controller labelled with a reason for the Pod creation.
This metric also distinguishes between Pods created using different PodReplacementPolicy settings.
Possible values of the "reason" label are:
"new", "recreate_terminating_or_failed", "recreate_failed".
Possible values of the "status" label are:
"succeeded", "failed".`;

/** A terminated pod got or lost the finalizer, or was created or deleted with it. */
export function countTracked(
  { trackedPods }: JobMetrics,
  old: StoredPod | undefined,
  pod: StoredPod | undefined,
): void {
  const isTracked = (each: StoredPod | undefined): boolean =>
    each !== undefined && isPodTerminal(each) && hasFinalizer(each);
  if (isTracked(old) !== isTracked(pod)) trackedPods.inc([isTracked(pod) ? "add" : "delete"]);
}

/** Counts the increase over the old status. A Job that was scaled down may have lower counts. */
export function countFinished(metrics: JobMetrics, job: Job, old: JobStatus, status: JobStatus): void {
  const mode = completionModeOf(job);
  const grown = (now = 0, before = 0): number => Math.max(0, now - before);
  let succeeded = grown(status.succeeded, old.succeeded);
  if (isIndexed(job)) {
    const count = (text = ""): number => countOf(parseIndexes(text, completionsOf(job)));
    const limit = hasLimitPerIndex(job) ? "perIndex" : "global";
    succeeded = grown(count(status.completedIndexes), count(old.completedIndexes));
    metrics.finishedIndexes.inc(["succeeded", limit], succeeded);
    const failedIndexes = grown(count(status.failedIndexes), count(old.failedIndexes));
    if (failedIndexes > 0) metrics.finishedIndexes.inc(["failed", limit], failedIndexes);
  }
  metrics.finishedPods.inc([mode, "succeeded"], succeeded);
  metrics.finishedPods.inc([mode, "failed"], grown(status.failed, old.failed));
}
