// The template of a Job's pods: the finalizer, and for an Indexed Job the fields with the pod's index.
// Upstream: pkg/controller/job/indexed_job_utils.go, addCompletionIndexEnvVariables, podGenerateNameWithIndex.

import type { Container, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { withFinalizer } from "./finalizers.ts";
import { hasLimitPerIndex, isIndexed, type Job, type PodGroup, type StoredPod } from "./model.ts";
import { countsAfter, FAILURE_COUNT, IGNORED_FAILURE_COUNT, INDEX } from "./pod-index.ts";

const INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
const NAME_PREFIX_MAX = 58;

export function podTemplate(job: Job, podGroup: PodGroup | undefined): PodTemplateSpec {
  const template = job.spec?.template ?? {};
  const spec = template.spec ?? { containers: [] };
  const { initContainers } = spec;
  const metadata = { ...template.metadata, finalizers: withFinalizer(template.metadata?.finalizers) };
  const group = podGroup === undefined ? {} : { schedulingGroup: { podGroupName: podGroup.metadata.name } };
  if (!isIndexed(job)) return { ...template, metadata, spec: { ...spec, ...group } };
  return {
    ...template,
    metadata,
    spec: {
      ...spec,
      ...(initContainers ? { initContainers: initContainers.map(withIndexVariable) } : {}),
      containers: spec.containers.map(withIndexVariable),
      ...group,
    },
  };
}

function withIndexVariable(container: Container): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } };
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom }] };
}

/** The replaced pod has the earlier failure counts of the index. */
export function templateOfIndex(
  job: Job,
  template: PodTemplateSpec,
  index: number,
  replaced: StoredPod | undefined,
): PodTemplateSpec {
  const { metadata, spec = { containers: [] } } = template;
  const annotations: Record<string, string> = { ...metadata?.annotations, [INDEX]: `${index}` };
  if (hasLimitPerIndex(job)) {
    const { counted, ignored } = countsAfter(job, replaced);
    annotations[FAILURE_COUNT] = `${counted}`;
    if (ignored > 0) annotations[IGNORED_FAILURE_COUNT] = `${ignored}`;
  }
  return {
    ...template,
    metadata: { ...metadata, annotations, labels: { ...metadata?.labels, [INDEX]: `${index}` } },
    spec: { ...spec, hostname: `${job.metadata.name}-${index}` },
  };
}

export function namePrefixOfIndex(jobName: string, index: number): string {
  const end = `-${index}-`;
  return byteLength(jobName + end) > NAME_PREFIX_MAX
    ? jobName.slice(0, NAME_PREFIX_MAX - end.length) + end
    : jobName + end;
}
