// The Jobs of a CronJob, and the list of active Jobs in its status.
// Upstream: pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob.

import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { isNotFound } from "#api/status-error.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { olderFirst } from "#kit/order.ts";
import {
  type CronJob,
  type Deps,
  endOf,
  isActive,
  isNewer,
  type Job,
  removeActive,
  type WorkingCopy,
  workingCopy,
} from "./model.ts";

const BY_CONTROLLER_NAME = "controller name";

/** As upstream, only the name of the controller is compared, not its kind or UID. */
export function indexChildren(jobs: Pick<SharedInformer<Job>, "addIndexers">): void {
  jobs.addIndexers({
    [BY_CONTROLLER_NAME]: (job) => {
      const controller = getControllerOf(job);
      return controller === undefined ? [] : [`${job.metadata.namespace}/${controller.name}`];
    },
  });
}

/** Oldest first. */
export function childrenOf(cronJob: CronJob, deps: Deps): readonly Job[] {
  return deps.jobs.store.byIndex(BY_CONTROLLER_NAME, objectKey(cronJob)).toSorted(olderFirst);
}

/** Returns the CronJob to continue with: the API server's, if the cached one was too old to know an active Job. */
export async function noteChildren(
  own: WorkingCopy,
  jobs: readonly Job[],
  deps: Deps,
  signal: AbortSignal,
  changed: () => void,
): Promise<WorkingCopy> {
  let current = own;
  for (const job of jobs) {
    const { uid, name } = job.metadata;
    const end = endOf(job);
    if (end !== undefined) noteEnd(current, job, end, deps, changed);
    else if (!isActive(current, uid)) {
      const fresh = await freshFor(uid, current.cronJob, deps, signal);
      if (isActive(fresh, uid)) current = fresh;
      else {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        deps.recorder.event(referenceTo(current.cronJob, CronJobs), "Warning", "UnexpectedJob", message);
      }
    }
  }
  await dropMissing(current, jobs, deps, signal, changed);
  return current;
}

/**
 * A newer CronJob than the cached one, which may list the Job. Deviation: upstream reads it from the server each time;
 * here the answer to this controller's last write is used if it lists the Job.
 */
async function freshFor(jobUid: string, cronJob: CronJob, deps: Deps, signal: AbortSignal): Promise<WorkingCopy> {
  const written = deps.written.get(objectKey(cronJob));
  if (written !== undefined && isNewer(written, cronJob) && isActive(workingCopy(written), jobUid))
    return workingCopy(written);
  const { namespace, name } = cronJob.metadata;
  return workingCopy(await deps.cronJobsApi.get({ namespace, name }, signal));
}

function noteEnd(current: WorkingCopy, job: Job, end: string, deps: Deps, changed: () => void): void {
  const { uid, name } = job.metadata;
  const { status } = current;
  if (isActive(current, uid)) {
    removeActive(current, uid);
    const message = `Saw completed job: ${name}, condition: ${end}`;
    deps.recorder.event(referenceTo(current.cronJob, CronJobs), "Normal", "SawCompletedJob", message);
    changed();
  }
  const completedMs = timeOrUndefined(job.status?.completionTime);
  if (end !== "Complete" || completedMs === undefined || job.status?.completionTime === undefined) return;
  if (completedMs <= (timeOrUndefined(status.lastSuccessfulTime) ?? Number.NEGATIVE_INFINITY)) return;
  status.lastSuccessfulTime = job.status.completionTime;
  changed();
}

/** The watch may lag, so this reads from the API server. */
async function dropMissing(
  current: WorkingCopy,
  jobs: readonly Job[],
  deps: Deps,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const { uid = "", name = "", namespace = "" } of current.status.active ?? []) {
    if (known.has(uid)) continue;
    try {
      await deps.jobsApi.get({ namespace, name }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const message = `Active job went missing: ${name}`;
      deps.recorder.event(referenceTo(current.cronJob, CronJobs), "Normal", "MissingJob", message);
      removeActive(current, uid);
      changed();
    }
  }
}
