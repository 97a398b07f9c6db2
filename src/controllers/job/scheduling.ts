// WorkloadWithJob: a Job whose pods must be scheduled together gets a Workload and a PodGroup before its first pod. In
// doubtful cases (several candidates, another owner, a Job that has already begun) its pods are scheduled as usual.
// Upstream: pkg/controller/job/job_scheduling_manager.go.

import { fnv32a, utf8Bytes } from "#api/fnv.ts";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Workloads } from "#api/generated/resources/scheduling-v1alpha2.ts";
import { safeEncode } from "#api/hash.ts";
import { objectKey } from "#api/object.ts";
import { isControlledBy, newControllerRef } from "#api/owner-refs.ts";
import type { Draft, ObjectOf } from "#api/resource.ts";
import { isAlreadyExists } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { type BackoffDeps, defaultRetry, retryOnError } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { findCondition } from "#kit/conditions.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { isIndexed, type Job, type PodGroup, type StoredPod } from "./model.ts";

type Workload = ObjectOf<typeof Workloads>;

export interface SchedulingDeps extends BackoffDeps {
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly workloads: SharedInformer<Workload>;
  readonly podGroups: SharedInformer<PodGroup>;
  readonly workloadsApi: ResourceClient<Workload>;
  readonly podGroupsApi: ResourceClient<PodGroup>;
}

const WORKLOADS_BY_JOB = "workloadByJobName";
const PODGROUPS_BY_WORKLOAD = "podGroupByWorkloadName";

export function addSchedulingIndexes({ workloads, podGroups }: Pick<SchedulingDeps, "workloads" | "podGroups">): void {
  workloads.addIndexers({
    [WORKLOADS_BY_JOB]: ({ metadata, spec }) => {
      const { apiGroup, kind, name } = spec?.controllerRef ?? {};
      return apiGroup === Jobs.group && kind === Jobs.kind && name ? [`${metadata.namespace}/${name}`] : [];
    },
  });
  podGroups.addIndexers({
    [PODGROUPS_BY_WORKLOAD]: ({ metadata, spec }) => {
      const name = spec?.podGroupTemplateRef?.workload?.workloadName;
      return name ? [`${metadata.namespace}/${name}`] : [];
    },
  });
}

/** The group of the Job's pods. It is created for a new Job. */
export async function podGroupOf(
  job: Job,
  pods: readonly StoredPod[],
  deps: SchedulingDeps,
  signal: AbortSignal,
): Promise<PodGroup | undefined> {
  if (!wantsGang(job)) return undefined;
  try {
    const workload = await retryOnError(
      defaultRetry,
      isAlreadyExists,
      () => workloadOf(job, pods, deps, signal),
      deps,
      signal,
    );
    if (workload === undefined) return undefined;
    return await retryOnError(defaultRetry, isAlreadyExists, () => groupOf(job, workload, deps, signal), deps, signal);
  } catch (error) {
    const what = `ensuring Workload and PodGroup for Job ${objectKey(job)}`;
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

/** All pods run at once, each with its index. */
function wantsGang(job: Job): boolean {
  const { parallelism = 1, completions, template } = job.spec ?? {};
  return (
    isIndexed(job) && parallelism > 1 && completions === parallelism && template?.spec?.schedulingGroup === undefined
  );
}

function isNew({ status }: Job, pods: readonly StoredPod[]): boolean {
  return (
    pods.length === 0 &&
    status?.startTime === undefined &&
    !status?.succeeded &&
    !status?.failed &&
    findCondition(status?.conditions ?? [], "Suspended") === undefined
  );
}

async function workloadOf(
  job: Job,
  pods: readonly StoredPod[],
  deps: SchedulingDeps,
  signal: AbortSignal,
): Promise<Workload | undefined> {
  const [workload, ...others] = deps.workloads.store.byIndex(WORKLOADS_BY_JOB, objectKey(job));
  if (workload === undefined) return isNew(job, pods) ? createWorkload(job, deps, signal) : undefined;
  if (others.length > 0) {
    const what = `found ${others.length + 1} Workloads referencing Job ${objectKey(job)}`;
    deps.log.error(undefined, `${what}, falling back to default scheduling`);
    return undefined;
  }
  const isUsable = isControlledBy(workload, job) && workload.spec?.podGroupTemplates?.length === 1;
  return isUsable ? workload : undefined;
}

async function createWorkload(job: Job, deps: SchedulingDeps, signal: AbortSignal): Promise<Workload> {
  const { namespace, name } = job.metadata;
  const object: Draft<Workload> = {
    metadata: { name: workloadName(job), namespace, ownerReferences: [newControllerRef(job, Jobs)] },
    spec: {
      controllerRef: { apiGroup: Jobs.group, kind: Jobs.kind, name },
      podGroupTemplates: [
        { name: `${name}-pgt-0`, schedulingPolicy: { gang: { minCount: job.spec?.parallelism ?? 1 } } },
      ],
    },
  };
  const created = await deps.workloadsApi.create({ namespace, object }, signal);
  const message = `Created Workload ${created.metadata.name} for Job ${name}`;
  deps.recorder.event(referenceTo(job, Jobs), "Normal", "WorkloadCreated", message);
  return created;
}

async function groupOf(
  job: Job,
  workload: Workload,
  deps: SchedulingDeps,
  signal: AbortSignal,
): Promise<PodGroup | undefined> {
  const [group, ...others] = deps.podGroups.store.byIndex(PODGROUPS_BY_WORKLOAD, objectKey(workload));
  if (group === undefined) return createPodGroup(job, workload, deps, signal);
  if (others.length > 0) {
    const what = `found ${others.length + 1} PodGroups referencing Workload ${objectKey(workload)}`;
    deps.log.error(undefined, `${what}, falling back to default scheduling`);
    return undefined;
  }
  return isControlledBy(group, job) ? group : undefined;
}

async function createPodGroup(
  job: Job,
  workload: Workload,
  deps: SchedulingDeps,
  signal: AbortSignal,
): Promise<PodGroup> {
  const { namespace } = job.metadata;
  const { name, uid } = workload.metadata;
  const template = workload.spec?.podGroupTemplates?.[0];
  if (template === undefined) throw new Error(`workload ${objectKey(workload)} has no PodGroupTemplates`);
  // It does not block the Workload's deletion.
  const ofWorkload = { apiVersion: `${Workloads.group}/${Workloads.version}`, kind: Workloads.kind, name, uid };
  const object: Draft<PodGroup> = {
    metadata: {
      name: podGroupName(name, template.name),
      namespace,
      ownerReferences: [newControllerRef(job, Jobs), ofWorkload],
    },
    spec: {
      podGroupTemplateRef: { workload: { workloadName: name, podGroupTemplateName: template.name } },
      schedulingPolicy: template.schedulingPolicy,
    },
  };
  return deps.podGroupsApi.create({ namespace, object }, signal);
}

const NAME_MAX = 253;

const shortHash = (text: string): string => safeEncode(String(fnv32a(utf8Bytes(text))));

/** Stable across restarts: the hash of the Job's UID, in Go's printed form with the type. */
export function workloadName({ metadata: { name, uid } }: Job): string {
  const hash = shortHash(`(types.UID)${uid}`);
  return `${name.slice(0, NAME_MAX - hash.length - 1)}-${hash}`;
}

/** If both names are too long, each gets half of the length; a short one leaves its unused part to the other. */
export function podGroupName(workload: string, template: string): string {
  const hash = shortHash(workload + template);
  const room = NAME_MAX - hash.length - 2;
  const half = Math.floor(room / 2);
  const ofTemplate = Math.min(template.length, Math.max(half, room - workload.length));
  const ofWorkload = Math.min(workload.length, room - ofTemplate);
  return `${workload.slice(0, ofWorkload)}-${template.slice(0, ofTemplate)}-${hash}`;
}
