// Shared types of the steps of a CronJob's sync.

import type { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import type { CronJobStatus } from "#api/generated/types/batch-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { ObjectOf } from "#api/resource.ts";
import { compareResourceVersions, isComparableResourceVersion } from "#api/resource-version.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Histogram } from "#base/metrics.ts";
import type { TimeZones } from "#base/time-zones.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";

export type CronJob = ObjectOf<typeof CronJobs>;
export type Job = ObjectOf<typeof Jobs>;

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly zones: TimeZones;
  readonly cronJobs: SharedInformer<CronJob>;
  readonly jobs: SharedInformer<Job>;
  readonly cronJobsApi: ResourceClient<CronJob>;
  readonly jobsApi: ResourceClient<Job>;
  /**
   * The CronJobs as this controller last wrote them, by key. Entries that the cache has caught up with may be missing.
   */
  readonly written: Map<ObjectKey, CronJob>;
  /** Seconds between the scheduled time and the creation of a Job. */
  readonly creationSkew: Histogram;
}

export type StatusDraft = { -readonly [K in keyof CronJobStatus]?: CronJobStatus[K] };

/** A CronJob with the status that its sync changes. */
export interface WorkingCopy {
  readonly cronJob: CronJob;
  readonly status: StatusDraft;
}

export function workingCopy(cronJob: CronJob): WorkingCopy {
  return { cronJob, status: { ...cronJob.status } };
}

export function isActive({ status }: WorkingCopy, uid: string): boolean {
  return (status.active ?? []).some((reference) => reference.uid === uid);
}

export function removeActive({ status }: WorkingCopy, uid: string): void {
  status.active = (status.active ?? []).filter((reference) => reference.uid !== uid);
}

/** Compares versions of one object. Versions that cannot be compared do not count as newer. */
export function isNewer({ metadata: a }: CronJob, { metadata: b }: CronJob): boolean {
  const [left, right] = [a.resourceVersion, b.resourceVersion];
  if (a.uid !== b.uid || !isComparableResourceVersion(left) || !isComparableResourceVersion(right)) return false;
  return compareResourceVersions(left, right) > 0;
}

/** Complete or Failed; undefined while the Job runs. */
export function endOf({ status }: Job): "Complete" | "Failed" | undefined {
  const end = status?.conditions?.find((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True");
  return end?.type as "Complete" | "Failed" | undefined;
}
