/**
 * Runs the pods of each Job until enough of them have succeeded, or too many have failed.
 *
 * Keeps true:  a Job has as many active pods as its parallelism and its missing completions require; a failed pod is
 *              replaced after a back-off. Each finished pod is counted in the status exactly once, and loses its
 *              finalizer then. A Job that ends deletes its active pods, reports the reason in an interim condition, and
 *              becomes Complete or Failed when all pods are counted and none is terminating. A suspended Job has no
 *              pods.
 * Requeues:    at the end of the back-off after failed pods, and at the active deadline.
 * Upstream:    pkg/controller/job.
 * Deviations:  pods are processed oldest first; Go's order is random. Gates that are locked in 1.36 stay on whatever
 *              --emulated-version says.
 */

import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodGroups, Workloads } from "#api/generated/resources/scheduling-v1alpha2.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { consistencyOf, countingStaleSyncs } from "#kit/consistency.ts";
import { create, events, get, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { Expectations } from "#kit/expectations.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { createPodControl } from "#kit/pod-control.ts";
import { itemExponentialLimiter } from "#workqueue/rate-limiters.ts";
import { AwaitedRemovals } from "./finalizers.ts";
import { registerJobMetrics } from "./metrics.ts";
import type { Deps, Job } from "./model.ts";
import { type OrphanKey, orphanText, syncOrphans } from "./orphans.ts";
import { addSchedulingIndexes, podGroupOf, type SchedulingDeps } from "./scheduling.ts";
import { syncJob } from "./sync.ts";
import { jobTriggers, podTriggers } from "./triggers.ts";

const RETRY_LIMITS = { baseMs: 1000, maxMs: 60_000 };

export interface JobOptions {
  /** --concurrent-job-syncs, for each of the two queues */
  readonly workers: number;
}

export const jobController: ControllerDescriptor<JobOptions> = keyedController({
  name: "job-controller",
  contract: {
    watches: [Jobs, Pods, Workloads, PodGroups],
    // The Job, before orphans are adopted.
    reads: [get(Jobs)],
    writes: [
      update(Jobs, "status"),
      create(Pods),
      patch(Pods),
      remove(Pods),
      create(Workloads),
      create(PodGroups),
      ...events,
    ],
  },
  build(parts, { workers }) {
    const { client, context, log } = parts;
    const { clock, gates } = context;
    const jobs = parts.informer(Jobs);
    const pods = parts.informer(Pods);
    const consistency = consistencyOf(gates.isEnabled("StaleControllerConsistencyJob"), [pods, jobs]);
    const recorder = parts.recorder();
    const metrics = registerJobMetrics(context.metrics);
    const selectorOf = parsedSelectors(({ spec }: Job) => selectorFromObject(spec?.selector));
    const queue = parts.queue({ name: "job", rateLimiter: itemExponentialLimiter(RETRY_LIMITS) });
    const orphans = parts.queue<OrphanKey>({
      name: "job_orphan_pod",
      rateLimiter: itemExponentialLimiter(RETRY_LIMITS),
      text: orphanText,
    });
    const scheduling = gates.isEnabled("WorkloadWithJob") ? schedulingDeps(parts, recorder) : undefined;
    const deps: Deps = {
      clock,
      log,
      recorder,
      metrics,
      jobs,
      pods,
      jobsApi: client.resource(Jobs),
      podControl: createPodControl({
        pods: client.resource(Pods),
        recorder,
        ownerResource: Jobs,
        consistency,
      }),
      expectations: new Expectations(clock),
      consistency,
      awaitedRemovals: new AwaitedRemovals(),
      backoffs: new Map(),
      finished: new Set(),
      clearsStartTime: gates.isEnabled("MutableSchedulingDirectivesForSuspendedJobs"),
      selectorOf,
      syncAfter: (key, ms, why) => queue.addAfter(key, ms, why),
      ...(scheduling && { podGroupOf: (job, pods, signal) => podGroupOf(job, pods, scheduling, signal) }),
    };
    const lookup = new OwnerLookup({
      resource: Jobs,
      owners: jobs,
      selectorOf,
      onSeveralAdopters({ metadata: { labels } }) {
        log.error(undefined, "user error! more than one job is selecting pods with labels", { labels });
      },
    });
    addControllerIndex(pods);
    parts.handle(jobs, jobTriggers(deps, { queue, orphans }));
    parts.handle(pods, podTriggers(lookup, deps, { queue, orphans }));
    parts.work({
      queue,
      workers,
      sync: (key, signal) => syncJob(key, deps, signal),
      onError: countingStaleSyncs(metrics.staleSyncSkips),
    });
    parts.work({ queue: orphans, workers, sync: (key, signal) => syncOrphans(key, lookup, deps, signal) });
  },
});

function schedulingDeps(parts: ControllerParts, recorder: EventRecorder): SchedulingDeps {
  const { client, context, log } = parts;
  const workloads = parts.informer(Workloads);
  const podGroups = parts.informer(PodGroups);
  addSchedulingIndexes({ workloads, podGroups });
  return {
    clock: context.clock,
    rng: context.rng.fork("job-controller-retries"),
    log,
    recorder,
    workloads,
    podGroups,
    workloadsApi: client.resource(Workloads),
    podGroupsApi: client.resource(PodGroups),
  };
}
