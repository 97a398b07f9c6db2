// Syncs one CronJob: its finished Jobs, its active Jobs, and the Job that is due.
// Upstream: pkg/controller/cronjob/cronjob_controllerv2.go, sync, syncCronJob.

import type { CronSchedule } from "#api/cron.ts";
import { ValueError } from "#api/errors.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import { isAlreadyExists, isNamespaceTerminating } from "#api/status-error.ts";
import { formatTime, parseTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { childrenOf, noteChildren } from "./children.ts";
import { isTooLate, nextTimeInMs, recentTime } from "./due-time.ts";
import { cleanUp, deleteJob } from "./history.ts";
import { type CronJob, type Deps, isActive, isNewer, type Job, type WorkingCopy, workingCopy } from "./model.ts";
import { jobAt, jobName } from "./new-job.ts";
import { formatMail, namesZone, parseSchedule, zoneProblem } from "./schedule.ts";

export async function syncCronJob(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cronJob = deps.cronJobs.lister.get(key);
  const written = deps.written.get(key);
  if (written !== undefined && (cronJob === undefined || !isNewer(written, cronJob))) deps.written.delete(key);
  if (cronJob === undefined) return done;
  const jobs = childrenOf(cronJob, deps);
  const own = workingCopy(cronJob);
  let isChanged = await cleanUp(own, jobs, deps, signal);
  let outcome: { readonly waitMs: number | undefined } | { readonly error: unknown };
  try {
    const changed = (): void => {
      isChanged = true;
    };
    outcome = { waitMs: await schedule(own, jobs, deps, signal, changed) };
  } catch (error) {
    outcome = { error };
  }
  // As upstream, changes made on a fresher copy are lost here: the write is then refused, and the next sync finds the
  // Job by its name.
  if (isChanged) {
    const object = { ...cronJob, status: own.status };
    deps.written.set(key, await deps.cronJobsApi.updateStatus({ object }, signal));
  }
  if ("error" in outcome) throw outcome.error;
  return outcome.waitMs === undefined ? done : requeueAfter(outcome.waitMs, "schedule");
}

/** Returns how long to wait for the next time; undefined if only a change of the CronJob can help. */
async function schedule(
  own: WorkingCopy,
  jobs: readonly Job[],
  deps: Deps,
  signal: AbortSignal,
  changed: () => void,
): Promise<number | undefined> {
  const now = deps.clock.now();
  const current = await noteChildren(own, jobs, deps, signal, changed);
  const { cronJob } = current;
  if (cronJob.metadata.deletionTimestamp !== undefined) return undefined;
  const parsed = readSchedule(cronJob, deps);
  if (parsed === undefined) return undefined;
  const found = recentTime(asWritten(current), now, parsed, { withDeadline: true });
  if ("error" in found) {
    warn(cronJob, "InvalidSchedule", `invalid schedule: ${cronJob.spec?.schedule ?? ""} : ${found.error}`, deps);
    return undefined;
  }
  const due = found.recent;
  if (due !== undefined) {
    if (found.missed === "many") warn(cronJob, "TooManyMissedTimes", TOO_MANY, deps);
    if (mayStart(current, due, now, deps)) {
      await replaceActive(current, deps, signal, changed);
      const isOther = !(await startJob(current, due, deps, signal, changed));
      if (isOther) return undefined;
    }
  }
  return nextTimeInMs(asWritten(current), now, parsed);
}

const TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

const asWritten = ({ cronJob, status }: WorkingCopy): CronJob => ({ ...cronJob, status });

function warn(cronJob: CronJob, reason: string, message: string, deps: Deps): void {
  deps.recorder.event(referenceTo(cronJob, CronJobs), "Warning", reason, message);
}

/**
 * Undefined for a CronJob that is suspended, or whose time zone or schedule is invalid: only the user can fix these.
 */
function readSchedule(cronJob: CronJob, deps: Deps): CronSchedule | undefined {
  const { timeZone, suspend, schedule: text = "" } = cronJob.spec ?? {};
  const problem = timeZone === undefined ? undefined : zoneProblem(timeZone, deps.zones);
  if (problem !== undefined) {
    warn(cronJob, "UnknownTimeZone", `invalid timeZone: ${goQuote(timeZone ?? "")}: ${problem}`, deps);
    return undefined;
  }
  if (suspend === true) return undefined;
  if (namesZone(text)) {
    const advice =
      "is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
    warn(cronJob, "UnsupportedSchedule", `CRON_TZ or TZ used in schedule ${goQuote(text)} ${advice}`, deps);
  }
  const parsed = parseSchedule(cronJob, deps.zones);
  if (!(parsed instanceof ValueError)) return parsed;
  warn(cronJob, "UnparseableSchedule", `unparseable schedule: ${goQuote(text)} : ${parsed.message}`, deps);
  return undefined;
}

/** Not after the deadline, not twice, and not beside another Job if the policy forbids it. */
function mayStart({ cronJob, status }: WorkingCopy, due: EpochMs, now: EpochMs, deps: Deps): boolean {
  const { concurrencyPolicy } = cronJob.spec ?? {};
  if (isTooLate(cronJob, due, now)) {
    warn(cronJob, "MissSchedule", `Missed scheduled time to start a job: ${formatMail(due)}`, deps);
    return false;
  }
  const { namespace } = cronJob.metadata;
  const active = status.active ?? [];
  const name = jobName(cronJob, due);
  if (active.some((reference) => reference.name === name && reference.namespace === namespace)) return false;
  if (timeOrUndefined(status.lastScheduleTime) === due) return false;
  if (concurrencyPolicy !== "Forbid" || active.length === 0) return true;
  const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
  deps.recorder.event(referenceTo(cronJob, CronJobs), "Normal", "JobAlreadyActive", message);
  return false;
}

async function replaceActive(
  current: WorkingCopy,
  deps: Deps,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  if (current.cronJob.spec?.concurrencyPolicy !== "Replace") return;
  for (const { namespace = "", name = "" } of current.status.active ?? []) {
    let job: Job;
    try {
      job = await deps.jobsApi.get({ namespace, name }, signal);
    } catch (error) {
      warn(current.cronJob, "FailedGet", `Get job: ${errorMessage(error)}`, deps);
      throw error;
    }
    if (!(await deleteJob(current, job, deps, signal))) throw new Error(`could not replace job ${objectKey(job)}`);
    changed();
  }
}

/** False if the name belongs to a Job of another owner, or to a Job that is already in the list. */
async function startJob(
  current: WorkingCopy,
  due: EpochMs,
  deps: Deps,
  signal: AbortSignal,
  changed: () => void,
): Promise<boolean> {
  const { cronJob, status } = current;
  const job = await createOrFind(cronJob, due, deps, signal);
  if (job === undefined || isActive(current, job.metadata.uid)) return false;
  const { namespace, name, uid, resourceVersion } = job.metadata;
  const reference = { kind: Jobs.kind, namespace, name, uid, apiVersion: `${Jobs.group}/${Jobs.version}` };
  status.active = [...(status.active ?? []), { ...reference, resourceVersion }];
  status.lastScheduleTime = formatTime(due);
  changed();
  return true;
}

/** If the CronJob controls a Job of this name, a sync that ended before its status write created it. */
async function createOrFind(cronJob: CronJob, due: EpochMs, deps: Deps, signal: AbortSignal): Promise<Job | undefined> {
  const { namespace } = cronJob.metadata;
  try {
    const created = await deps.jobsApi.create({ namespace, object: jobAt(cronJob, due, deps.zones) }, signal);
    deps.creationSkew.observe((parseTime(created.metadata.creationTimestamp) - due) / 1000);
    const message = `Created job ${created.metadata.name}`;
    deps.recorder.event(referenceTo(cronJob, CronJobs), "Normal", "SuccessfulCreate", message);
    return created;
  } catch (error) {
    if (!isAlreadyExists(error)) {
      if (!isNamespaceTerminating(error)) {
        warn(cronJob, "FailedCreate", `Error creating job: ${errorMessage(error)}`, deps);
      }
      throw error;
    }
  }
  // Deviation: upstream reads it without the namespace, which always fails.
  const found = await deps.jobsApi.get({ namespace, name: jobName(cronJob, due) }, signal);
  return isControlledBy(found, cronJob) ? found : undefined;
}
