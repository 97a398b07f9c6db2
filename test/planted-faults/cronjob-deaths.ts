// A fault in the controller of CronJobs that shows when it dies between two writes: a Job is never started.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  plays: ["cronjob/8, cronjob/12, cronjob/14 starts"],
  faults: [
    {
      name: "the start is noted before the Job is there",
      file: "src/controllers/cronjob/sync.ts",
      find: "  const job = await createOrFind(cronJob, due, deps, signal);",
      replace:
        "  const noted = { ...status, lastScheduleTime: formatTime(due) };\n  const { metadata } = await deps.cronJobsApi.updateStatus({ object: { ...cronJob, status: noted } }, signal);\n  current.cronJob = { ...cronJob, metadata };\n  const job = await createOrFind(cronJob, due, deps, signal);",
      noticedBy: "starts the Job that is due, once, and notes it: killed",
    },
  ],
};
