// Shared types of the steps of a Job's sync: its objects, its dependencies, and accessors of its spec.

import type { ValueError } from "#api/errors.ts";
import type { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { Pods } from "#api/generated/resources/core-v1.ts";
import type { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { Selector } from "#api/label-selector.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { ConsistencyStore } from "#kit/consistency.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { Expectations } from "#kit/expectations.ts";
import type { PodControl } from "#kit/pod-control.ts";
import type { BackoffRecord } from "./backoff.ts";
import type { AwaitedRemovals } from "./finalizers.ts";
import type { JobMetrics } from "./metrics.ts";

export type Job = ObjectOf<typeof Jobs>;
export type StoredPod = ObjectOf<typeof Pods>;
export type PodGroup = ObjectOf<typeof PodGroups>;

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly metrics: JobMetrics;
  readonly jobs: SharedInformer<Job>;
  readonly pods: SharedInformer<StoredPod>;
  readonly jobsApi: ResourceClient<Job>;
  readonly podControl: PodControl<Job>;
  readonly expectations: Expectations;
  readonly consistency: ConsistencyStore;
  readonly awaitedRemovals: AwaitedRemovals;
  /** By key of the Job. */
  readonly backoffs: Map<string, BackoffRecord>;
  /** UIDs of Jobs that a sync finished, while the cache still shows them unfinished. */
  readonly finished: Set<string>;
  /** MutableSchedulingDirectivesForSuspendedJobs: suspending clears the start time. */
  readonly clearsStartTime: boolean;
  readonly selectorOf: (job: Job) => Selector | ValueError;
  readonly syncAfter: (key: string, ms: number, why: string) => void;
  /** The pod group that the Job's pods belong to; absent where WorkloadWithJob is off. */
  readonly podGroupOf?: (job: Job, pods: readonly StoredPod[], signal: AbortSignal) => Promise<PodGroup | undefined>;
}

const CONTROLLER_NAME = "kubernetes.io/job-controller";

/** The external controller that manages this Job. */
export function otherManager({ spec }: Job): string | undefined {
  return spec?.managedBy === CONTROLLER_NAME ? undefined : spec?.managedBy;
}

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

/** The label of metrics. */
export function completionModeOf(job: Job): "Indexed" | "NonIndexed" {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}

/** For an Indexed Job, which always has them. */
export function completionsOf({ spec }: Job): number {
  return spec?.completions ?? 0;
}

export function hasLimitPerIndex({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** True if a pod that is being deleted is replaced only after it has failed. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

export function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True");
}
