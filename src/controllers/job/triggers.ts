// Which events concern which Jobs. Handlers observe expectations and queue keys; they never wait.
// Upstream: pkg/controller/job/job_controller.go, addPod … deleteJob.

import { semanticEqual } from "#api/equality.ts";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EventHandler } from "#informers/informer.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { hasFinalizer } from "./finalizers.ts";
import { BATCH_MS } from "./manage.ts";
import { countTracked } from "./metrics.ts";
import { type Deps, isFinished, type Job, otherManager, type StoredPod } from "./model.ts";
import { type OrphanKey, podsOf } from "./orphans.ts";

export interface Queues {
  readonly queue: KeyQueue;
  readonly orphans: KeyQueue<OrphanKey>;
}

export function jobTriggers(deps: Deps, { queue, orphans }: Queues): EventHandler<Job> {
  const sweep = (job: Job, event: ChangeType): void => {
    const key = podsOf(job, deps.selectorOf);
    if (key !== undefined) orphans.add(key, eventCause(Jobs, event, job));
  };
  return {
    onAdd(job) {
      queue.add(objectKey(job), eventCause(Jobs, "add", job));
      const manager = otherManager(job);
      if (manager !== undefined) deps.metrics.externalJobs.inc([manager]);
    },
    onUpdate(oldJob, job) {
      const key = objectKey(job);
      const cause = eventCause(Jobs, "update", job);
      if (isFinished(job)) return sweep(job, "update"); // the pods of a finished Job must lose their finalizers
      if (job.metadata.generation === oldJob.metadata.generation) queue.addAfter(key, BATCH_MS, cause);
      else queue.add(key, cause);
      const startedMs = timeOrUndefined(job.status?.startTime);
      const seconds = job.spec?.activeDeadlineSeconds;
      if (startedMs === undefined || seconds === undefined || seconds === oldJob.spec?.activeDeadlineSeconds) return;
      queue.addAfter(key, wrappedSecondsMs(seconds) - (deps.clock.now() - startedMs), "activeDeadlineSeconds");
    },
    onDelete(job) {
      const key = objectKey(job);
      queue.add(key, eventCause(Jobs, "delete", job));
      deps.consistency.clear(key, job.metadata.uid);
      deps.finished.delete(job.metadata.uid);
      sweep(job, "delete");
      deps.backoffs.delete(key);
    },
  };
}

export function podTriggers(lookup: OwnerLookup<Job>, deps: Deps, { queue, orphans }: Queues): EventHandler<StoredPod> {
  const enqueue = (jobs: readonly Job[], event: ChangeType, pod: StoredPod): void => {
    for (const job of jobs) queue.addAfter(objectKey(job), BATCH_MS, eventCause(Pods, event, pod));
  };
  const enqueueOrphan = (pod: StoredPod, event: ChangeType): void => {
    const { namespace, name } = pod.metadata;
    if (hasFinalizer(pod)) orphans.add({ namespace, name }, eventCause(Pods, event, pod));
  };
  /** isGone: the pod is deleted, not just being deleted. */
  const observeDeletion = (pod: StoredPod, isGone: boolean): void => {
    const job = lookup.controllerOf(pod);
    // No sync will remove the finalizer of these pods.
    if (job === undefined || isFinished(job)) {
      enqueueOrphan(pod, "delete");
      return;
    }
    deps.expectations.deletionObserved(objectKey(job));
    if (isGone || !hasFinalizer(pod)) deps.awaitedRemovals.observed(objectKey(job), pod.metadata.uid);
    enqueue([job], "delete", pod);
  };
  return {
    onAdd(pod) {
      countTracked(deps.metrics, undefined, pod);
      // After a restart a pod may first be seen while it is being deleted: that is not a creation.
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod, false);
      const job = lookup.controllerOf(pod);
      if (job !== undefined) deps.expectations.creationObserved(objectKey(job));
      if (getControllerOf(pod) === undefined) enqueueOrphan(pod, "add");
      enqueue(lookup.concernedByAdd(pod), "add", pod);
    },
    onUpdate(oldPod, pod) {
      countTracked(deps.metrics, oldPod, pod);
      if (oldPod.metadata.resourceVersion === pod.metadata.resourceVersion) return; // a resync
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod, false);
      if (!hasFinalizer(pod)) {
        // Both the owner that lost the pod and the owner that has it may wait for the removal of the finalizer.
        const changed = !semanticEqual(getControllerOf(oldPod), getControllerOf(pod));
        for (const job of [changed ? lookup.controllerOf(oldPod) : undefined, lookup.controllerOf(pod)]) {
          if (job !== undefined) deps.awaitedRemovals.observed(objectKey(job), pod.metadata.uid);
        }
      }
      if (getControllerOf(pod) === undefined) enqueueOrphan(pod, "update");
      enqueue(lookup.concernedByUpdate(oldPod, pod), "update", pod);
    },
    onDelete(pod, isFinalStateUnknown) {
      if (!isFinalStateUnknown) countTracked(deps.metrics, pod, undefined);
      observeDeletion(pod, true);
    },
  };
}
