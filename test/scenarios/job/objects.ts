// The Job of the scenarios, and the reports of kubelets about its pods.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { JobSpec } from "#api/generated/types/batch-v1.ts";
import type { PodSpec, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { isTerminating, podSpec, type StoredPod, setPodStatus } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type Job = ObjectOf<typeof Jobs>;

export const FINALIZER = "batch.kubernetes.io/job-tracking";
export const INDEX = "batch.kubernetes.io/job-completion-index";

export function template(spec: Partial<PodSpec> = {}, metadata: ObjectMeta = {}): PodTemplateSpec {
  return { metadata, spec: { ...podSpec, restartPolicy: "Never", ...spec } };
}

/** Creates a Job called sum. */
export function createJob(stage: Stage, spec: Partial<JobSpec> = {}, name = "sum"): Promise<Job> {
  return stage.of(Jobs).create({ metadata: { name }, spec: { template: template(), ...spec } });
}

export const patchSpec = (stage: Stage, spec: object): Promise<Job> => stage.of(Jobs).patch("sum", { spec });

export const indexOf = ({ metadata }: StoredPod): string => metadata.annotations?.[INDEX] ?? "";

export const hasFinalizer = ({ metadata }: StoredPod): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;

const isActive = (pod: StoredPod): boolean =>
  !isTerminating(pod) && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";

/** Waits until this many pods are active, and ends the phase. Returns them oldest first, then by name. */
export async function untilActive(stage: Stage, count: number, job = "sum"): Promise<readonly StoredPod[]> {
  const isOwn = ({ metadata }: StoredPod): boolean =>
    metadata.ownerReferences?.some(({ name }) => name === job) ?? false;
  const pods = await stage
    .of(Pods)
    .untilAll((all) => all.filter((pod) => isOwn(pod) && isActive(pod)).length === count);
  await untilStatus(stage, { active: count }, job);
  await stage.settle();
  const age = ({ metadata }: StoredPod): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return pods.filter((pod) => isOwn(pod) && isActive(pod)).toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
}

/** Waits until the active pods of an Indexed Job have these indexes. Sorted by index. */
export async function untilIndexes(stage: Stage, ...indexes: readonly number[]): Promise<readonly StoredPod[]> {
  const pods = await stage.of(Pods).untilAll((all) => {
    const active = all.filter(isActive).map(indexOf);
    return active.toSorted().join() === indexes.map(String).toSorted().join();
  });
  await untilStatus(stage, { active: indexes.length });
  await stage.settle();
  return pods.filter(isActive).toSorted((a, b) => Number(indexOf(a)) - Number(indexOf(b)));
}

interface Exit {
  /** How long ago the container ended. */
  readonly agoMs?: number;
  readonly code?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Long ago, so that no back-off remains. */
export const LONG_AGO: Exit = { agoMs: 3_600_000 };

/** Acts as a kubelet: reports that the container of a pod has ended. */
export function exits(
  stage: Stage,
  pod: StoredPod | undefined,
  { agoMs = 0, code = 0, conditions }: Exit = {},
): Promise<StoredPod> {
  const finishedAt = formatTime(stage.now() - agoMs);
  const terminated = { exitCode: code, reason: code === 0 ? "Completed" : "Error", startedAt: finishedAt, finishedAt };
  const [container] = podSpec.containers;
  const status = { name: "main", image: container?.image ?? "", imageID: "", ready: false, restartCount: 0 };
  return setPodStatus(stage, pod?.metadata.name ?? "", {
    phase: code === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ ...status, state: { terminated } }],
    ...(conditions ? { conditions } : {}),
  });
}

export const fails = (stage: Stage, pod: StoredPod | undefined, exit: Exit = LONG_AGO): Promise<StoredPod> =>
  exits(stage, pod, { code: 1, ...exit });

/** Waits until the status has these values; a count of 0 may be absent. */
export function untilStatus(stage: Stage, wanted: Readonly<Record<string, unknown>>, name = "sum"): Promise<Job> {
  return stage.of(Jobs).until(name, ({ status }) => {
    const values: Readonly<Record<string, unknown>> = { ...status };
    return Object.entries(wanted).every(([field, value]) => (values[field] ?? 0) === value);
  });
}

export function untilCondition(stage: Stage, type: string, status = "True", name = "sum"): Promise<Job> {
  return stage
    .of(Jobs)
    .until(name, (job) => (job.status?.conditions ?? []).some((c) => c.type === type && c.status === status));
}

/** Waits until the Job is Complete or Failed with this reason; its pods then have no finalizer. */
export async function untilEnd(stage: Stage, type: "Complete" | "Failed", reason: string): Promise<Job> {
  const job = await untilCondition(stage, type);
  const interim = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const [first, last] = (job.status?.conditions ?? []).filter((c) => c.type !== "Suspended");
  expect([first?.type, first?.reason, last?.type, last?.reason]).toEqual([interim, reason, type, reason]);
  expect(job.status?.uncountedTerminatedPods).toEqual({});
  expect(job.status?.active ?? 0).toBe(0);
  await stage.of(Pods).untilAll((pods) => !pods.some(hasFinalizer));
  return job;
}
