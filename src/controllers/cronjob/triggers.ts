// Which events concern which CronJobs.
// Upstream: pkg/controller/cronjob/cronjob_controllerv2.go, addJob … updateCronJob.

import { ValueError } from "#api/errors.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { objectKey } from "#api/object.ts";
import type { EventHandler } from "#informers/informer.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { nextTimeInMs } from "./due-time.ts";
import type { CronJob, Deps, Job } from "./model.ts";
import { parseSchedule } from "./schedule.ts";

export function jobTriggers(lookup: OwnerLookup<CronJob>, queue: KeyQueue): EventHandler<Job> {
  const enqueue = (cronJobs: readonly CronJob[], event: ChangeType, job: Job): void => {
    for (const cronJob of cronJobs) queue.add(objectKey(cronJob), eventCause(Jobs, event, job));
  };
  return {
    onAdd: (job) => enqueue(lookup.concernedByAdd(job), "add", job),
    onUpdate(oldJob, job) {
      if (oldJob.metadata.resourceVersion === job.metadata.resourceVersion) return; // a resync
      enqueue(lookup.concernedByUpdate(oldJob, job), "update", job);
    },
    onDelete: (job) => enqueue(lookup.concernedByAdd(job), "delete", job),
  };
}

/** A new schedule takes effect at its next time: it does not start Jobs for times in the past. */
export function cronJobTriggers(deps: Deps, queue: KeyQueue): EventHandler<CronJob> {
  const enqueue = enqueuing(queue, CronJobs, {});
  return {
    ...enqueue,
    onUpdate(oldCronJob, cronJob) {
      const { schedule = "", timeZone } = cronJob.spec ?? {};
      if (oldCronJob.spec?.schedule === schedule && oldCronJob.spec.timeZone === timeZone) {
        enqueue.onUpdate?.(oldCronJob, cronJob);
        return;
      }
      const parsed = parseSchedule(cronJob, deps.zones);
      if (parsed instanceof ValueError) {
        const message = `unparseable schedule for cronjob: ${schedule}`;
        deps.recorder.event(referenceTo(cronJob, CronJobs), "Warning", "UnParseableCronJobSchedule", message);
        return;
      }
      queue.addAfter(objectKey(cronJob), nextTimeInMs(cronJob, deps.clock.now(), parsed), "schedule");
    },
  };
}
