// Faults in the CronJob controller. Each would harm a user; the scenarios and unit tests must notice all of them.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/cronjob";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/cronjob"],
  faults: [
    {
      name: "the start is noted before the Job is there",
      file: `${folder}/sync.ts`,
      find: "  const job = await createOrFind(cronJob, due, deps, signal);",
      replace:
        "  const noted = { ...status, lastScheduleTime: formatTime(due) };\n  await deps.cronJobsApi.updateStatus({ object: { ...cronJob, status: noted } }, signal);\n  const job = await createOrFind(cronJob, due, deps, signal);",
      noticedBy: "starts the Job that is due, once, and notes it",
    },
    {
      name: "of several missed times the first counts",
      file: `${folder}/due-time.ts`,
      find: "    recent = time;",
      replace: "    recent ??= time;",
      noticedBy: "finds due times, the next time and the Job's name as upstream does",
    },
    {
      name: "the deadline is ignored",
      file: `${folder}/due-time.ts`,
      find: "if (withDeadline && deadline !== undefined)",
      replace: "if (!withDeadline && deadline !== undefined)",
      noticedBy: "finds due times, the next time and the Job's name as upstream does",
    },
    {
      name: "the time zone is ignored",
      file: `${folder}/schedule.ts`,
      find: "parseCron(isPlain ?",
      replace: "parseCron(isPlain || !isPlain ?",
      noticedBy: "starts the Job that is due, once, and notes it",
    },
    {
      name: "Forbid allows a second Job",
      file: `${folder}/sync.ts`,
      find: 'if (concurrencyPolicy !== "Forbid" || active.length === 0) return true;',
      replace: 'if (concurrencyPolicy !== "Forbid" || active.length > 0) return true;',
      noticedBy: "starts no second Job where the policy forbids it",
    },
    {
      name: "a Job is replaced without being deleted",
      file: `${folder}/sync.ts`,
      find: "await replaceActive(current, deps, signal, changed);",
      replace: "",
      noticedBy: "deletes the active Job first where the policy is to replace it",
    },
    {
      name: "the newest finished Jobs are deleted",
      file: `${folder}/history.ts`,
      find: "first < second ? -1 : 1",
      replace: "first < second ? 1 : -1",
      noticedBy: "deletes the oldest finished Jobs beyond its limits, successes and failures apart",
    },
    {
      name: "a Job that is gone stays active",
      file: `${folder}/children.ts`,
      find: "if (!isNotFound(error)) throw error;",
      replace: "if (!isNotFound(error)) throw error;\n      if (isNotFound(error)) continue;",
      noticedBy: "an active Job that is gone is dropped, and an event tells of it",
    },
    {
      name: "a suspended CronJob starts Jobs",
      file: `${folder}/sync.ts`,
      find: "if (suspend === true) return undefined;",
      replace: "if (suspend === false) return undefined;",
      noticedBy: "starts nothing while it is suspended or being deleted",
    },
    {
      name: "a Job that a dead manager created is not noted",
      file: `${folder}/sync.ts`,
      find: "return isControlledBy(found, cronJob) ? found : undefined;",
      replace: "return isControlledBy(found, cronJob) ? undefined : found;",
      noticedBy: "notes a Job of the due name that it controls and forgot",
    },
    {
      name: "a CronJob is read although the last write names the Job",
      file: `${folder}/children.ts`,
      find: "if (written !== undefined && isNewer(written, cronJob)",
      replace: "if (written !== undefined && isNewer(cronJob, written)",
      noticedBy: "a Job that the cache shows before the status that names it needs no read",
    },
  ],
};
