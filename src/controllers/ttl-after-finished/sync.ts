// Syncs one Job: waits until its TTL has passed, checks with a live read, and deletes it.
// Upstream: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go, processJob.

import type { Job } from "#api/generated/types/batch-v1.ts";
import { type ObjectKey, ref, splitKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Histogram } from "#base/metrics.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { expiryOf, needsCleanUp } from "./expiry.ts";

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly jobs: SharedInformer<Stored<Job>>;
  readonly jobsApi: ResourceClient<Stored<Job>>;
  readonly deletionSeconds: Histogram;
}

export async function syncJob(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cached = deps.jobs.lister.get(key);
  if (cached === undefined) return done;
  const wait = waitFor(cached, deps);
  if (wait !== undefined) return wait;
  // The TTL may have been raised, or the Job replaced, since the cached version.
  const job = await tolerate(deps.jobsApi.get(splitKey(key), signal), isNotFound);
  if (job === undefined) return done;
  const waitLonger = waitFor(job, deps);
  if (waitLonger !== undefined) return waitLonger;
  const { namespace, name, uid } = job.metadata;
  const options = { propagationPolicy: "Foreground", preconditions: { uid } };
  await deps.jobsApi.delete({ namespace, name, options }, signal);
  deps.deletionSeconds.observe((deps.clock.now() - expiryOf(job).expiresAt) / 1000);
  return done;
}

/** Undefined: the Job has expired. */
function waitFor(job: Stored<Job>, { clock, log }: Deps): SyncResult | undefined {
  if (!needsCleanUp(job)) return done;
  const now = clock.now();
  const { finishedAt, expiresAt } = expiryOf(job);
  if (finishedAt > now) {
    log.info(
      "Warning: Found Job finished in the future. This is likely due to time skew in the cluster. Job cleanup will be deferred.",
      { job: ref(job) },
    );
  }
  return expiresAt > now ? requeueAfter(expiresAt - now, "ttlSecondsAfterFinished") : undefined;
}
