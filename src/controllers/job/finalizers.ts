// The finalizer that keeps a pod until its Job has counted it.
// Upstream: pkg/controller/job/tracking_utils.go; job_controller.go, removeTrackingFinalizerPatch.

import type { StoredPod } from "./model.ts";

export const FINALIZER = "batch.kubernetes.io/job-tracking";

export function hasFinalizer({ metadata }: StoredPod): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

export function withFinalizer(finalizers: readonly string[] | undefined): readonly string[] {
  return finalizers?.includes(FINALIZER) ? finalizers : [...(finalizers ?? []), FINALIZER];
}

/** A strategic merge patch. */
export const REMOVAL: object = { metadata: { "$deleteFromPrimitiveList/finalizers": [FINALIZER] } };

/** Pods that have lost their finalizer although the cache still shows it: they are counted already. */
export class AwaitedRemovals {
  /** UIDs of pods by key of the Job. */
  readonly #byJob = new Map<string, Set<string>>();

  /** A copy: events may come while a sync reads it. */
  of(jobKey: string): ReadonlySet<string> {
    return new Set(this.#byJob.get(jobKey));
  }

  expect(jobKey: string, podUids: readonly string[]): void {
    this.#byJob.set(jobKey, new Set([...(this.#byJob.get(jobKey) ?? []), ...podUids]));
  }

  observed(jobKey: string, podUid: string): void {
    this.#byJob.get(jobKey)?.delete(podUid);
  }

  forget(jobKey: string): void {
    this.#byJob.delete(jobKey);
  }
}
