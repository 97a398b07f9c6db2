// Deletes the finished Jobs of a CronJob beyond its history limits, oldest first.
// Upstream: pkg/controller/cronjob/cronjob_controllerv2.go, cleanupFinishedJobs, deleteJob; utils.go, byJobStartTime.

import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import { objectKey } from "#api/object.ts";
import { timeOrUndefined } from "#api/time.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { type CronJob, type Deps, endOf, type Job, removeActive, type WorkingCopy } from "./model.ts";

/** The Jobs beyond the limits, in the order of their deletion. */
function surplusJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec ?? {};
  const surplus = (end: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    const ended = jobs.filter((job) => endOf(job) === end).toSorted(startedFirst);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...surplus("Complete", successfulJobsHistoryLimit), ...surplus("Failed", failedJobsHistoryLimit)];
}

/** Jobs that never started are the last. */
function startedFirst(a: Job, b: Job): number {
  const started = ({ status }: Job): number => timeOrUndefined(status?.startTime) ?? Number.POSITIVE_INFINITY;
  const [first, second] = [started(a), started(b)];
  return first === second ? compareText(a.metadata.name, b.metadata.name) : first < second ? -1 : 1;
}

/** Deletes the surplus. A refused deletion is retried in the next sync. Returns whether a Job was deleted. */
export async function cleanUp(
  own: WorkingCopy,
  jobs: readonly Job[],
  deps: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  let isDeleted = false;
  for (const job of surplusJobs(own.cronJob, jobs)) isDeleted = (await deleteJob(own, job, deps, signal)) || isDeleted;
  return isDeleted;
}

/** Deletes the Job with its pods, and removes it from the list of active Jobs. */
export async function deleteJob(own: WorkingCopy, job: Job, deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { namespace, name, uid } = job.metadata;
  const reference = referenceTo(own.cronJob, CronJobs);
  try {
    await deps.jobsApi.delete({ namespace, name, options: { propagationPolicy: "Background" } }, signal);
  } catch (error) {
    deps.recorder.event(reference, "Warning", "FailedDelete", `Deleted job: ${errorMessage(error)}`);
    deps.log.error(error, "Error deleting job from cronjob", { job: objectKey(job), cronjob: objectKey(own.cronJob) });
    return false;
  }
  removeActive(own, uid);
  deps.recorder.event(reference, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
  return true;
}
