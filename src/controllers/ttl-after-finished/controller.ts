/**
 * Deletes finished Jobs after their TTL.
 *
 * Keeps true:  a Job with ttlSecondsAfterFinished is deleted, with its pods, that long after it completed or failed.
 * Requeues:    when the TTL will have passed.
 * Upstream:    pkg/controller/ttlafterfinished.
 * Deviations:  none.
 */

import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { exponentialBuckets } from "#base/metrics.ts";
import { get, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { needsCleanUp } from "./expiry.ts";
import { type Deps, syncJob } from "./sync.ts";

export interface TtlAfterFinishedOptions {
  /** --concurrent-ttl-after-finished-syncs */
  readonly workers: number;
}

export const ttlAfterFinishedController: ControllerDescriptor<TtlAfterFinishedOptions> = keyedController({
  name: "ttl-after-finished-controller",
  contract: {
    watches: [Jobs],
    reads: [get(Jobs)],
    writes: [remove(Jobs, { preconditions: "uid" })],
  },
  build(parts, { workers }) {
    const { clock, metrics } = parts.context;
    const deps: Deps = {
      clock,
      log: parts.log,
      jobs: parts.informer(Jobs),
      jobsApi: parts.client.resource(Jobs),
      deletionSeconds: metrics.histogram({
        name: "ttl_after_finished_controller_job_deletion_duration_seconds",
        help: "The time it took to delete the job since it became eligible for deletion",
        stability: "ALPHA",
        buckets: exponentialBuckets(0.1, 2, 14),
      }),
    };
    const queue = parts.queue({ name: "ttl_jobs_to_delete" });
    parts.enqueue(deps.jobs, queue, { on: ["add", "update"], when: needsCleanUp });
    parts.work({ queue, workers, sync: (key, signal) => syncJob(key, deps, signal) });
  },
});
