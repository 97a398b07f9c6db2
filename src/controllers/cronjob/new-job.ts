// The Job of a scheduled time. Its name depends on the time, so that no time gets two Jobs.
// Upstream: pkg/controller/cronjob/utils.go, getJobFromTemplate2.

import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { Draft } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { TimeZones } from "#base/time-zones.ts";
import type { CronJob, Job } from "./model.ts";
import { formatInZone } from "./schedule.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The time in minutes: schedules are not finer. */
export function jobName({ metadata }: CronJob, scheduled: EpochMs): string {
  return `${metadata.name}-${Math.trunc(scheduled / 60_000)}`;
}

export function jobAt(cronJob: CronJob, scheduled: EpochMs, zones: TimeZones): Draft<Job> {
  const { jobTemplate, timeZone } = cronJob.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  return {
    metadata: {
      name: jobName(cronJob, scheduled),
      creationTimestamp: formatTime(scheduled),
      ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
      annotations: { ...annotations, [SCHEDULED]: formatInZone(scheduled, timeZone, zones) },
      ownerReferences: [newControllerRef(cronJob, CronJobs)],
    },
    ...(jobTemplate?.spec ? { spec: jobTemplate.spec } : {}),
  };
}
