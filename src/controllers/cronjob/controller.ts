/**
 * Creates the Jobs of each CronJob at the times of its schedule.
 *
 * Keeps true:  each time of the schedule in the CronJob's zone has one Job, created soon after it, unless the deadline
 *              has passed, the CronJob is suspended, or another Job is active and the policy forbids a second. Of
 *              several missed times only the last gets a Job. The status lists active Jobs; finished Jobs beyond the
 *              history limits are deleted.
 * Requeues:    at the next time of the schedule, plus 100 ms.
 * Upstream:    pkg/controller/cronjob.
 * Deviations:  if a Job with the due name exists, it is read in its namespace. A Job of this CronJob is recorded as
 *              active, another one is left alone. Go reads it without the namespace, which fails, and repeats the
 *              create for ever. Jobs are processed oldest first; Go's order is random. A schedule that is only a TZ=
 *              prefix is reported as one without fields; Go's parser panics. A CronJob is not read
 *              from the server for a Job that is named by the controller's own last write.
 */

import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { nothing } from "#api/label-selector.ts";
import { exponentialBuckets } from "#base/metrics.ts";
import { create, events, get, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { indexChildren } from "./children.ts";
import type { Deps } from "./model.ts";
import { syncCronJob } from "./sync.ts";
import { cronJobTriggers, jobTriggers } from "./triggers.ts";

export interface CronJobOptions {
  /** --concurrent-cron-job-syncs */
  readonly workers: number;
}

export const cronJobController: ControllerDescriptor<CronJobOptions> = keyedController({
  name: "cronjob-controller",
  contract: {
    watches: [CronJobs, Jobs],
    // The CronJob of an unknown Job; a Job that is not in the cache, that is replaced, or whose name is taken.
    reads: [get(CronJobs), get(Jobs)],
    writes: [update(CronJobs, "status"), create(Jobs), remove(Jobs), ...events],
  },
  build(parts, { workers }) {
    const { client, context, log } = parts;
    const deps: Deps = {
      clock: context.clock,
      log,
      recorder: parts.recorder(),
      zones: context.host.timeZones,
      cronJobs: parts.informer(CronJobs),
      jobs: parts.informer(Jobs),
      cronJobsApi: client.resource(CronJobs),
      jobsApi: client.resource(Jobs),
      written: new Map(),
      creationSkew: context.metrics.histogram({
        name: "cronjob_controller_job_creation_skew_duration_seconds",
        help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
        stability: "STABLE",
        buckets: exponentialBuckets(1, 2, 10),
      }),
    };
    indexChildren(deps.jobs);
    const queue = parts.queue({ name: "cronjob" });
    const lookup = new OwnerLookup({ resource: CronJobs, owners: deps.cronJobs, selectorOf: () => nothing });
    parts.handle(deps.jobs, jobTriggers(lookup, queue));
    parts.handle(deps.cronJobs, cronJobTriggers(deps, queue));
    parts.work({ queue, workers, sync: (key, signal) => syncCronJob(key, deps, signal) });
  },
});
