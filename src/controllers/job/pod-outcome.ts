// Whether a pod of a Job has failed. Upstream: pkg/controller/job/job_controller.go, isPodFailed.

import { type Job, replacesOnlyFailed, type StoredPod } from "./model.ts";

/**
 * A pod that is being deleted may never report its failure, so it counts as failed, unless only failed pods are
 * replaced.
 */
export function isPodFailed(job: Job, { metadata, status }: StoredPod): boolean {
  if (status?.phase === "Failed") return true;
  if (replacesOnlyFailed(job)) return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

export function hasSucceeded({ status }: StoredPod): boolean {
  return status?.phase === "Succeeded";
}
