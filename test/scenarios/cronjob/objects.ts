// The CronJob of the scenarios. It is scheduled once a year: a last start of more than a year ago makes one Job due at
// once, and no other Job is due during the scenario.

import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import type { CronJobSpec, JobSpec } from "#api/generated/types/batch-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { podSpec } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type CronJob = ObjectOf<typeof CronJobs>;
export type Job = ObjectOf<typeof Jobs>;

const DAY_MS = 86_400_000;
const YEARLY = "0 0 1 7 *";

/** Another controller manages the Jobs, so that only the scenario writes their status. */
export const jobSpec: JobSpec = {
  managedBy: "example.com/steps",
  template: { spec: { ...podSpec, restartPolicy: "Never" } },
};

/** A CronJob called tick. */
export function createCronJob(stage: Stage, spec: Partial<CronJobSpec> = {}): Promise<CronJob> {
  const jobTemplate = { metadata: { labels: { app: "tick" } }, spec: jobSpec };
  return stage.of(CronJobs).create({ metadata: { name: "tick" }, spec: { schedule: YEARLY, jobTemplate, ...spec } });
}

export const patchSpec = (stage: Stage, spec: object): Promise<CronJob> => stage.of(CronJobs).patch("tick", { spec });

export const patchStatus = (stage: Stage, status: object): Promise<CronJob> =>
  stage.of(CronJobs).patch("tick", { status }, { subresource: "status" });

/** This many days ago, so that a time of the yearly schedule was missed. */
export const lastStart = (stage: Stage, days = 400): { readonly lastScheduleTime: string } => ({
  lastScheduleTime: formatTime(stage.now() - days * DAY_MS),
});

/** Creates a suspended CronJob whose next Job is overdue. */
export async function createOverdue(stage: Stage, spec: Partial<CronJobSpec> = {}): Promise<CronJob> {
  await createCronJob(stage, { suspend: true, ...spec });
  const cronJob = await patchStatus(stage, lastStart(stage));
  await stage.settle();
  return cronJob;
}

export const resume = (stage: Stage): Promise<CronJob> => patchSpec(stage, { suspend: false });

/** The name of the due Job. */
export function dueName(stage: Stage): string {
  const now = new Date(stage.now());
  const year = now.getUTCFullYear() - (now.getTime() < Date.UTC(now.getUTCFullYear(), 6, 1) ? 1 : 0);
  return `tick-${Date.UTC(year, 6, 1) / 60_000}`;
}

export function controllerRef({ metadata }: CronJob): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true, blockOwnerDeletion: true };
}

/** Creates a Job of the CronJob that the controller did not create. */
export function createChild(stage: Stage, owner: CronJob, name: string): Promise<Job> {
  return stage.of(Jobs).create({ metadata: { name, ownerReferences: [controllerRef(owner)] }, spec: jobSpec });
}

/** Creates a Job that the CronJob lists as active. */
export async function createActive(stage: Stage, owner: CronJob, name = "running"): Promise<Job> {
  const job = await createChild(stage, owner, name);
  await stage.settle();
  const { namespace, uid, resourceVersion } = job.metadata;
  const active = [{ apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion }];
  await patchStatus(stage, { active });
  await stage.settle();
  return job;
}

export async function finish(stage: Stage, name: string, type: "Complete" | "Failed", agoMs = 0): Promise<Job> {
  const time = formatTime(stage.now() - agoMs);
  const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const conditions = [interim, type].map((each) => ({ type: each, status: "True", lastTransitionTime: time }));
  const completion = type === "Complete" ? { completionTime: time } : {};
  return stage
    .of(Jobs)
    .patch(name, { status: { conditions, startTime: time, ...completion } }, { subresource: "status" });
}

/** Waits until the CronJob has these active Jobs, by name. */
export function untilActive(stage: Stage, ...names: readonly string[]): Promise<CronJob> {
  return stage.of(CronJobs).until("tick", ({ status }) => {
    const active = (status?.active ?? []).map(({ name = "" }) => name);
    return active.toSorted().join() === names.toSorted().join();
  });
}

/** Waits for the due Job; comparisons call it "due". */
export async function untilStarted(stage: Stage, ...others: readonly string[]): Promise<Job> {
  const name = dueName(stage);
  stage.call(name, "due");
  const job = await stage.of(Jobs).until(name);
  await untilActive(stage, name, ...others);
  return job;
}
