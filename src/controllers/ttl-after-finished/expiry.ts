// When a finished Job may be deleted. Upstream: pkg/controller/ttlafterfinished, getFinishAndExpireTime.

import type { Job } from "#api/generated/types/batch-v1.ts";
import type { Stored } from "#api/resource.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/** True if the Job is finished, has a TTL, and is not being deleted. */
export function needsCleanUp(job: Stored<Job>): boolean {
  const { metadata, spec } = job;
  const isFinished = finishCondition(job) !== undefined;
  return metadata.deletionTimestamp === undefined && spec?.ttlSecondsAfterFinished !== undefined && isFinished;
}

/** The times of a Job that needs clean-up. */
export function expiryOf(job: Stored<Job>): { readonly finishedAt: EpochMs; readonly expiresAt: EpochMs } {
  const finishedAt = timeOrUndefined(finishCondition(job)?.lastTransitionTime);
  const { namespace, name } = job.metadata;
  if (finishedAt === undefined) throw new Error(`unable to find the time when the Job ${namespace}/${name} finished`);
  return { finishedAt, expiresAt: finishedAt + (job.spec?.ttlSecondsAfterFinished ?? 0) * 1000 };
}

function finishCondition({ status }: Stored<Job>) {
  return status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}
