// Jobs. Upstream: pkg/registry/batch/job/strategy.go; pkg/apis/batch/v1/defaults.go

import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { KindCall } from "#kinds/hooks.ts";
import type { Kind } from "#kinds/kind.ts";
import { hasLabelSelectorErrors } from "#kinds/parts/checks.ts";
import { all, at, each, gated, inner, isNil, isObject, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, humanDuration, nameOf, printer } from "#kinds/parts/printer.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import { JOB_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { podWarnings } from "#kinds/pod-spec/pod-warnings.ts";
import { labelsFrom, labelsOf, template } from "#kinds/pod-spec/template-defaults.ts";
import { isCounted, nameWarnings, optionsOf, withoutDisabledTemplate } from "#kinds/pod-spec/template-rules.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { validateJobStatusUpdate } from "./job-status-validation.ts";
import {
  CONTROLLER_UID,
  isIndexed,
  JOB_NAME,
  type JobOptions,
  LEGACY_CONTROLLER_UID,
  LEGACY_JOB_NAME,
  validateJob,
  validateJobUpdate,
} from "./job-validation.ts";

export const failurePolicy: Rule = at(
  "podFailurePolicy",
  each("rules", each("onPodConditions", zero({ status: "True" }))),
);

const jobCounts: Rule = (spec, ctx) => {
  const both = isNil(spec.completions) && isNil(spec.parallelism);
  return nil({
    ...(both ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: isNil(spec.backoffLimitPerIndex) ? 6 : 2_147_483_647,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
  })(spec, ctx);
};

const podReplacementPolicy: Rule = gated("JobPodReplacementPolicy", (spec, ctx) =>
  nil({ podReplacementPolicy: isNil(spec.podFailurePolicy) ? "TerminatingOrFailed" : "Failed" })(spec, ctx),
);

const defaults: Rule = all(
  (object) => {
    const labels = isObject(object.spec) ? labelsOf(object.spec.template) : undefined;
    return labels === undefined ? object : labelsFrom(object, labels);
  },
  inner("spec", all(jobCounts, podReplacementPolicy, failurePolicy, template)),
);

function jobStatus({ metadata, status }: batch.Job): string {
  const has = (type: string): boolean => status?.conditions?.find((c) => c.type === type)?.status === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

function jobCells(job: batch.Job, now: EpochMs): unknown[] {
  const { spec, status } = job;
  const succeeded = status?.succeeded ?? 0;
  const parallelism = spec?.parallelism ?? 0;
  const of = parallelism > 1 ? ` of ${parallelism}` : "";
  const start = timeOrUndefined(status?.startTime);
  const end = timeOrUndefined(status?.completionTime) ?? now;
  return [
    nameOf(job),
    jobStatus(job),
    spec?.completions === undefined ? `${succeeded}/1${of}` : `${succeeded}/${spec.completions}`,
    start === undefined ? "" : humanDuration(end - start),
    ageOf(job, now),
    ...containerCells(spec?.template?.spec?.containers),
    formatLabelSelector(spec?.selector),
  ];
}

/** Upstream: pkg/registry/batch/job/storage/storage.go, Delete */
function warnOfOrphans(call: KindCall, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return;
  call.addWarning(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
      "set propagationPolicy=Orphan to suppress this warning",
  );
}

/** Unless the user manages the selector, the Job selects pods by its UID, a label in its template. */
function withSelector(job: batch.Job): batch.Job {
  const { spec, metadata } = job;
  if (spec === undefined || spec.manualSelector) return job;
  const { name = "", uid = "" } = metadata ?? {};
  const template = spec.template ?? {};
  const labels = {
    [LEGACY_JOB_NAME]: name,
    [JOB_NAME]: name,
    [LEGACY_CONTROLLER_UID]: uid,
    [CONTROLLER_UID]: uid,
    ...template.metadata?.labels,
  };
  const selector = {
    ...spec.selector,
    matchLabels: { [CONTROLLER_UID]: uid, ...spec.selector?.matchLabels },
  };
  // If a Job's labels were defaulted from its template, they include the generated ones: in Go both are one map.
  const isDefaulted = metadata?.labels !== undefined && metadata.labels === template.metadata?.labels;
  return {
    ...job,
    ...(isDefaulted ? { metadata: { ...metadata, labels } } : {}),
    spec: { ...spec, selector, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
}

function withTemplateLabels(job: batch.Job): batch.Job {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata?.labels ?? {}).length > 0) return job;
  return { ...job, metadata: { ...job.metadata, labels } };
}

function jobOptions(old: batch.Job | undefined, ctx: StrategyContext): JobOptions {
  const template = old?.spec?.template;
  const labels = template?.metadata?.labels ?? {};
  const isOn = (gate: string): boolean => ctx.gates.isEnabled(gate);
  const suspended = old?.spec?.suspend === true;
  const notStarted = old?.status?.startTime === undefined;
  const isIdle = (old?.status?.active ?? 0) === 0 && (notStarted || hasSuspended(old));
  return {
    pod: optionsOf(ctx, template),
    allowInvalidSelector: old !== undefined && hasLabelSelectorErrors(old.spec?.selector),
    requirePrefixedLabels:
      old === undefined || (Object.hasOwn(labels, JOB_NAME) && Object.hasOwn(labels, CONTROLLER_UID)),
    allowMutableScheduling: suspended && (isOn("MutableSchedulingDirectivesForSuspendedJobs") ? isIdle : notStarted),
    allowMutableResources: suspended && isOn("MutablePodResourcesForSuspendedJobs") && isIdle,
  };
}

const hasSuspended = (job: batch.Job | undefined): boolean =>
  (job?.status?.conditions ?? []).some((c) => c.type === "Suspended" && c.status === "True");

const COMPLETIONS_HIGH = 100_000;
const PARALLELISM_HIGH = 10_000;

/** Upstream: pkg/api/job/warnings.go, WarningsForJobSpec */
export function jobSpecWarnings(
  spec: batch.JobSpec | undefined,
  path: field.FieldPath,
  ctx: StrategyContext,
): string[] {
  const warnings: string[] = [];
  const { completions = 0, parallelism = 0 } = spec ?? {};
  if (isIndexed(spec) && completions > COMPLETIONS_HIGH && parallelism > PARALLELISM_HIGH) {
    const advice =
      "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
    warnings.push(`${path}: ${advice}`);
  }
  return [...warnings, ...podWarnings(spec?.template ?? {}, path.child("template"), ctx.gates)];
}

const SPEC = field.newPath("spec");

const strategy = kindStrategy<batch.Job>({
  defaultPropagation: "Orphan",
  resetFields: [["status"]],
  prepareForCreate: (job, { gates }) =>
    withoutDisabledTemplate(firstGeneration({ ...withSelector(job), status: {} }), undefined, gates),
  validate: (job, ctx) => validateJob(job, jobOptions(undefined, ctx)),
  warningsOnCreate: (job, ctx) => [...nameWarnings(job), ...jobSpecWarnings(job.spec, SPEC, ctx)],
  prepareForUpdate: (job, old, { gates }) =>
    countChange(withoutDisabledTemplate(put(job, "status", old.status), old, gates), old, "spec", JOB_SPEC()),
  validateUpdate: (job, old, ctx) => validateJobUpdate(job, old, jobOptions(old, ctx)),
  // Upstream applies defaults again when it reads the stored object, whose template then has its generated labels.
  canonicalize: withTemplateLabels,
  warningsOnUpdate: (job, old, ctx) => (isCounted(job, old) ? jobSpecWarnings(job.spec, SPEC, ctx) : []),
  subresources: { status: statusStrategy(validateJobStatusUpdate) },
});

export const job: Kind<batch.Job> = {
  key: "jobs.batch",
  strategy,
  defaults,
  fillAliases: templateAliases,
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  unsupportedFieldLabel: (label) => `field label "${label}" not supported for Job`,
  printer: printer("Name|Status|Completions|Duration|Age|Containers*|Images*|Selector*", jobCells),
  beforeDelete: warnOfOrphans,
};
