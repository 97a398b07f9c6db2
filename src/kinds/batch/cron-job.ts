// CronJobs. Upstream: pkg/registry/batch/cronjob/strategy.go; pkg/apis/batch/v1/defaults.go

import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, inner, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, nameOf, printer, since } from "#kinds/parts/printer.ts";
import { podSpecAliases } from "#kinds/pod-spec/aliases.ts";
import { withoutDisabled } from "#kinds/pod-spec/disabled-fields.ts";
import { CRON_JOB_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { template } from "#kinds/pod-spec/template-defaults.ts";
import { isCounted, nameWarnings, optionsOf } from "#kinds/pod-spec/template-rules.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validateCronJob, validateCronJobUpdate } from "./cron-job-validation.ts";
import { failurePolicy, jobSpecWarnings } from "./job.ts";

const defaults: Rule = inner(
  "spec",
  all(
    zero({ concurrencyPolicy: "Allow" }),
    nil({ suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
    inner("jobTemplate", inner("spec", all(failurePolicy, template))),
  ),
);

function cronJobCells(job: batch.CronJob, now: EpochMs): unknown[] {
  const { spec, status } = job;
  const template = spec?.jobTemplate?.spec;
  return [
    nameOf(job),
    spec?.schedule ?? "",
    spec?.timeZone ?? "<none>",
    spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
    (status?.active ?? []).length,
    status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>",
    ageOf(job, now),
    ...containerCells(template?.template?.spec?.containers),
    formatLabelSelector(template?.selector),
  ];
}

const templateOf = (job: batch.CronJob | undefined): core.PodTemplateSpec | undefined =>
  job?.spec?.jobTemplate?.spec?.template;

function withoutDisabledFields(
  job: batch.CronJob,
  old: batch.CronJob | undefined,
  gates: FeatureGateReader,
): batch.CronJob {
  const { spec } = job;
  const pods = templateOf(job);
  if (spec?.jobTemplate?.spec === undefined || pods === undefined) return job;
  const kept = withoutDisabled(pods, templateOf(old), gates);
  if (kept === pods) return job;
  const jobTemplate = { ...spec.jobTemplate, spec: { ...spec.jobTemplate.spec, template: kept } };
  return { ...job, spec: { ...spec, jobTemplate } };
}

const JOB_SPEC = field.newPath("spec", "jobTemplate", "spec");

const TZ_WARNING =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

const strategy = kindStrategy<batch.CronJob>({
  resetFields: [["status"]],
  prepareForCreate: (job, { gates }) =>
    withoutDisabledFields(firstGeneration({ ...job, status: {} }), undefined, gates),
  validate: (job, ctx) => validateCronJob(job, optionsOf(ctx), ctx.timeZones),
  warningsOnCreate: (job, ctx) => [
    ...nameWarnings(job),
    ...jobSpecWarnings(job.spec?.jobTemplate?.spec, JOB_SPEC, ctx),
  ],
  prepareForUpdate: (job, old, { gates }) =>
    countChange(withoutDisabledFields(put(job, "status", old.status), old, gates), old, "spec", CRON_JOB_SPEC()),
  validateUpdate: (job, old, ctx) => validateCronJobUpdate(job, old, optionsOf(ctx, templateOf(old)), ctx.timeZones),
  warningsOnUpdate: (job, old, ctx) => [
    ...(isCounted(job, old) ? jobSpecWarnings(job.spec?.jobTemplate?.spec, JOB_SPEC, ctx) : []),
    ...(job.spec?.schedule?.includes("TZ") ? [TZ_WARNING] : []),
  ],
  subresources: { status: statusStrategy(() => []) },
});

export const cronJob: Kind<batch.CronJob> = {
  key: "cronjobs.batch",
  strategy,
  defaults,
  fillAliases: podSpecAliases(["spec", "jobTemplate", "spec", "template", "spec"]),
  printer: printer(
    "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|Containers*|Images*|Selector*",
    cronJobCells,
  ),
};
