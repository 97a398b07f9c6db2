// Jobs and the templates of Jobs. Upstream: pkg/apis/batch/validation, ValidateJob, ValidateJobSpec, ValidateJobUpdate

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import type { Schema } from "#api/schema.ts";
import { internalSpec, podTemplateSpec, put } from "#kinds/core/pod-validation.ts";
import {
  domainPrefixedPath,
  type Errors,
  IMMUTABLE,
  labelSelector,
  nonNegative,
  type Path,
} from "#kinds/parts/checks.ts";
import { internalForm, sortedMap } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { POD_SPEC, POD_TEMPLATE } from "#kinds/pod-spec/pod-schema.ts";
import { fixedSelector, parseSelector, templateMatches } from "#kinds/pod-spec/workload-template.ts";
import { podFailurePolicy, podReplacementPolicy, successPolicy } from "./job-policies.ts";

type Spec = Partial<batch.JobSpec>;

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
const COMPLETIONS_HIGH = 100_000;
const PARALLELISM_MAX_WHEN_HIGH = 10_000;
const FAILED_INDEXES_MAX_WHEN_HIGH = 10_000;
const MANAGED_BY_BYTES_MAX = 63;

export const JOB_NAME = "batch.kubernetes.io/job-name";
export const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
export const LEGACY_JOB_NAME = "job-name";
export const LEGACY_CONTROLLER_UID = "controller-uid";

export interface JobOptions {
  readonly pod: PodOptions;
  readonly allowInvalidSelector: boolean;
  readonly requirePrefixedLabels: boolean;
  readonly allowMutableScheduling: boolean;
  readonly allowMutableResources: boolean;
}

export const isIndexed = (spec: Spec | undefined): boolean => spec?.completionMode === "Indexed";

export function validateJob(job: batch.Job, opts: JobOptions): field.FieldError[] {
  const errors: Errors = [];
  const spec: Spec = job.spec ?? {};
  objectMeta(errors, job.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  generatedSelector(errors, job, opts.requirePrefixedLabels);
  wholeSpec(errors, spec, opts);
  const { completions = 0 } = spec;
  if (isIndexed(spec) && completions > 0) {
    const jobName = job.metadata?.name ?? "";
    const hostname = `${jobName}-${completions - 1}`;
    if (isDns1123Label(hostname).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
      errors.push(field.invalid(METADATA.child("name"), jobName, detail));
    }
  }
  return errors;
}

function generatedSelector(errors: Errors, { metadata, spec }: batch.Job, prefixed: boolean): void {
  if (spec?.manualSelector || !spec?.selector) return;
  const { uid = "", name: jobName = "" } = metadata ?? {};
  if (uid === "") errors.push(field.required(METADATA.child("uid"), ""));
  const expected: Readonly<Record<string, string>> = {
    [LEGACY_CONTROLLER_UID]: uid,
    [LEGACY_JOB_NAME]: jobName,
    ...(prefixed ? { [CONTROLLER_UID]: uid, [JOB_NAME]: jobName } : {}),
  };
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const at = SPEC.child("template", "metadata", "labels").key(key);
    if (!Object.hasOwn(labels, key)) errors.push(field.required(at, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(field.invalid(at, sortedMap(labels), `must be '${value}'`));
  }
  const selector = parseSelector(spec.selector);
  if (selector && !selector.matches(expected)) {
    const value = internalForm("LabelSelector", spec.selector);
    errors.push(field.invalid(SPEC.child("selector"), value, "`selector` not auto-generated"));
  }
}

function wholeSpec(errors: Errors, spec: Spec, opts: JobOptions): void {
  jobSpec(errors, spec, SPEC, opts.pod);
  const at = SPEC.child("selector");
  if (!spec.selector) errors.push(field.required(at, ""));
  else labelSelector(errors, spec.selector, at, opts.allowInvalidSelector);
  const selector = parseSelector(spec.selector);
  if (selector) templateMatches(errors, spec.template ?? {}, selector, SPEC.child("template"));
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Checks shared by a Job and the template of a CronJob: everything except the selector. */
export function jobSpec(errors: Errors, spec: Spec, path: Path, opts: PodOptions): void {
  for (const part of COUNTS) nonNegative(errors, spec[part], path.child(part));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(field.required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
  }
  if (spec.managedBy !== undefined) managedBy(errors, spec.managedBy, path.child("managedBy"));
  completionMode(errors, spec, path);
  if (spec.podFailurePolicy) podFailurePolicy(errors, spec, path.child("podFailurePolicy"));
  if (spec.successPolicy) {
    const at = path.child("successPolicy");
    if (isIndexed(spec)) successPolicy(errors, spec.successPolicy, spec.completions ?? 0, at);
    else {
      const value = internalForm("SuccessPolicy", spec.successPolicy);
      errors.push(field.invalid(at, value, "requires indexed completion mode"));
    }
  }
  podReplacementPolicy(errors, spec, path.child("podReplacementPolicy"));
  podTemplateSpec(errors, spec.template ?? {}, path.child("template"), opts);
  restartPolicy(errors, spec, path.child("template", "spec", "restartPolicy"));
}

function restartPolicy(errors: Errors, spec: Spec, path: Path): void {
  const policy = spec.template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") {
    errors.push(field.required(path, 'valid values: "OnFailure", "Never"'));
  } else if (policy !== "OnFailure" && policy !== "Never") {
    errors.push(field.notSupported(path, policy, ["OnFailure", "Never"]));
  } else if (spec.podFailurePolicy && policy !== "Never") {
    errors.push(field.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

function managedBy(errors: Errors, value: string, path: Path): void {
  domainPrefixedPath(errors, value, path);
  if (byteLength(value) > MANAGED_BY_BYTES_MAX) errors.push(field.tooLong(path, MANAGED_BY_BYTES_MAX));
}

function completionMode(errors: Errors, spec: Spec, path: Path): void {
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== "NonIndexed" && mode !== "Indexed") {
    errors.push(field.notSupported(path.child("completionMode"), mode, ["NonIndexed", "Indexed"]));
  }
  if (mode === "Indexed") indexedLimits(errors, spec, path);
  if (mode !== undefined && mode !== "NonIndexed") return;
  for (const part of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    if (spec[part] === undefined) continue;
    errors.push(field.invalid(path.child(part), spec[part], "requires indexed completion mode"));
  }
}

function indexedLimits(errors: Errors, spec: Spec, path: Path): void {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const atMost = (part: "parallelism" | "maxFailedIndexes", limit: number, when = ""): void => {
    const value = spec[part];
    if (value === undefined || value <= limit) return;
    errors.push(field.invalid(path.child(part), value, `must be less than or equal to ${limit}${when}`));
  };
  if (completions === undefined) {
    errors.push(field.required(path.child("completions"), "when completion mode is Indexed"));
  }
  atMost("parallelism", PARALLELISM_MAX, " when completion mode is Indexed");
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    const detail = "must be less than or equal to completions";
    errors.push(field.invalid(path.child("maxFailedIndexes"), maxFailedIndexes, detail));
  }
  atMost("maxFailedIndexes", FAILED_INDEXES_MAX);
  if ((completions ?? 0) <= COMPLETIONS_HIGH || spec.backoffLimitPerIndex === undefined) return;
  const above = `completions is above ${COMPLETIONS_HIGH}`;
  if (maxFailedIndexes === undefined) {
    errors.push(field.required(path.child("maxFailedIndexes"), `must be specified when ${above}`));
  }
  const when = ` when completions are above ${COMPLETIONS_HIGH} and used with backoff limit per index`;
  if (parallelism !== undefined) atMost("parallelism", PARALLELISM_MAX_WHEN_HIGH, when);
  atMost("maxFailedIndexes", FAILED_INDEXES_MAX_WHEN_HIGH, when);
}

/** As upstream, the spec is checked as for a create first, and again here. */
export function validateJobUpdate(job: batch.Job, old: batch.Job, opts: JobOptions): field.FieldError[] {
  const errors: Errors = validateJob(job, opts);
  objectMetaUpdate(errors, job.metadata ?? {}, old.metadata ?? {}, METADATA);
  const [spec, oldSpec]: Spec[] = [job.spec ?? {}, old.spec ?? {}];
  if (spec === undefined || oldSpec === undefined) return errors;
  wholeSpec(errors, spec, opts);
  completionsUpdate(errors, spec, oldSpec);
  fixedSelector(errors, spec.selector, oldSpec.selector, SPEC.child("selector"));
  templateUpdate(errors, spec, oldSpec, opts);
  const fixed = <K extends keyof batch.JobSpec>(part: K, shown: (value: NonNullable<Spec[K]>) => unknown): void => {
    const value = spec[part] ?? undefined;
    immutable(errors, value, oldSpec[part], SPEC.child(part), value === undefined ? null : shown(value as never));
  };
  fixed("completionMode", (mode) => mode);
  fixed("podFailurePolicy", (policy) => internalForm("PodFailurePolicy", policy));
  fixed("backoffLimitPerIndex", (limit) => limit);
  fixed("managedBy", (manager) => manager);
  fixed("successPolicy", (policy) => internalForm("SuccessPolicy", policy));
  return errors;
}

function immutable(errors: Errors, value: unknown, old: unknown, path: Path, shown: unknown, schema?: Schema): void {
  if (!semanticEqual(value, old, schema)) errors.push(field.invalid(path, shown, IMMUTABLE));
}

function completionsUpdate(errors: Errors, spec: Spec, old: Spec): void {
  const { completions } = spec;
  const at = SPEC.child("completions");
  if (!isIndexed(spec)) {
    immutable(errors, completions, old.completions, at, completions ?? null);
    return;
  }
  if (completions === old.completions || completions === undefined || completions === spec.parallelism) return;
  errors.push(field.invalid(at, completions, "can only be modified in tandem with spec.parallelism"));
}

function templateUpdate(errors: Errors, spec: Spec, oldSpec: Spec, opts: JobOptions): void {
  const template = spec.template ?? {};
  const stored = oldSpec.template ?? {};
  const old = opts.allowMutableScheduling ? withSchedulingOf(template, stored) : stored;
  if (!oldSpec.suspend || !opts.allowMutableResources) {
    const at = SPEC.child("template");
    if (!semanticEqual(template, old, POD_TEMPLATE())) {
      errors.push(field.invalid(at, internalTemplate(template), IMMUTABLE));
    }
    return;
  }
  const [podSpec, oldPodSpec] = [template.spec ?? { containers: [] }, old.spec ?? { containers: [] }];
  if (!semanticEqual(podSpec, withResourcesOf(podSpec, oldPodSpec), POD_SPEC())) {
    errors.push(field.invalid(SPEC.child("template.spec"), internalSpec(podSpec), IMMUTABLE));
  }
}

const META_ORDER = ["name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers"];

function internalTemplate({ metadata = {}, spec = { containers: [] } }: core.PodTemplateSpec): unknown {
  const meta = metadata as Readonly<Record<string, unknown>>;
  const shown = META_ORDER.filter((part) => meta[part] !== undefined).map((part) => [part, sortedMap(meta[part])]);
  return { ...Object.fromEntries(shown), Spec: internalSpec(spec) };
}

/** The old template with the scheduling fields of the new one. */
function withSchedulingOf(template: core.PodTemplateSpec, old: core.PodTemplateSpec): core.PodTemplateSpec {
  const [spec, oldSpec] = [template.spec ?? { containers: [] }, old.spec ?? { containers: [] }];
  let scheduled = put(oldSpec, "affinity", withNodeAffinityOf(spec.affinity, oldSpec.affinity));
  for (const part of ["nodeSelector", "tolerations", "schedulingGates"] as const) {
    scheduled = put(scheduled, part, spec[part]);
  }
  let metadata = put(old.metadata ?? {}, "labels", template.metadata?.labels);
  metadata = put(metadata, "annotations", template.metadata?.annotations);
  return { ...old, metadata, spec: scheduled };
}

function withNodeAffinityOf(
  affinity: core.Affinity | undefined,
  old: core.Affinity | undefined,
): core.Affinity | undefined {
  const merged = put(old ?? {}, "nodeAffinity", affinity?.nodeAffinity);
  return affinity === undefined && Object.keys(merged).length === 0 ? undefined : merged;
}

function withResourcesOf(spec: core.PodSpec, old: core.PodSpec): core.PodSpec {
  const taken = (list: readonly core.Container[] | null | undefined, from: readonly core.Container[] | undefined) =>
    (from ?? []).map((container, i) => {
      const now = list?.[i];
      const isSame = list?.length === from?.length && now?.name === container.name;
      return isSame ? put(container, "resources", now.resources) : container;
    });
  const initContainers = old.initContainers && taken(spec.initContainers, old.initContainers);
  return { ...old, containers: taken(spec.containers, old.containers), ...(initContainers ? { initContainers } : {}) };
}
