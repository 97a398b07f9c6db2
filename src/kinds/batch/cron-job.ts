// CronJobs. Upstream: pkg/registry/batch/cronjob/strategy.go; pkg/apis/batch/v1/defaults.go

import type * as batch from "#api/generated/types/batch-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, inner, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, containerCells, nameOf, printer, since } from "#kinds/parts/printer.ts";
import { podSpecAliases } from "#kinds/pod-spec/aliases.ts";
import { template } from "#kinds/pod-spec/template-defaults.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { failurePolicy } from "./job.ts";

/** Jobs add eleven characters, and their pods' hostnames are cut at 63. */
function cronJobName(value: string): string[] {
  const errors = isDns1123Subdomain(value);
  return byteLength(value) > 52 ? [...errors, "must be no more than 52 characters"] : errors;
}

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

export const cronJob: SchemaOnlyKind<batch.CronJob> = {
  key: "cronjobs.batch",
  strategy: schemaOnly({ countsGeneration: true, nameCheck: () => cronJobName }),
  defaults,
  fillAliases: podSpecAliases(["spec", "jobTemplate", "spec", "template", "spec"]),
  printer: printer(
    "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|Containers*|Images*|Selector*",
    cronJobCells,
  ),
};
