// Jobs. Upstream: pkg/registry/batch/job/strategy.go; pkg/apis/batch/v1/defaults.go

import type * as batch from "#api/generated/types/batch-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { KindCall } from "#kinds/hooks.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, at, each, gated, inner, isNil, isObject, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, containerCells, humanDuration, nameOf, printer } from "#kinds/parts/printer.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import { labelsFrom, labelsOf, template } from "#kinds/pod-spec/template-defaults.ts";
import { schemaOnly } from "#kinds/strategy.ts";

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

export const job: SchemaOnlyKind<batch.Job> = {
  key: "jobs.batch",
  strategy: schemaOnly({ countsGeneration: true, defaultPropagation: "Orphan" }),
  defaults,
  fillAliases: templateAliases,
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  unsupportedFieldLabel: (label) => `field label "${label}" not supported for Job`,
  printer: printer("Name|Status|Completions|Duration|Age|Containers*|Images*|Selector*", jobCells),
  beforeDelete: warnOfOrphans,
};
