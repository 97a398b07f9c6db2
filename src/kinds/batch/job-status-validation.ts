// The status of a Job. Most rules apply only to fields that the write changes, so that a status broken by an older
// version can be repaired. JobManagedBy is locked on in 1.36 and assumed.
// Upstream: pkg/apis/batch/validation, ValidateJobStatusUpdate; pkg/registry/batch/job, getStatusValidationOptions

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import { timeOrUndefined } from "#api/time.ts";
import { type Errors, nonNegative } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countIndexes, overlapOf } from "./job-indexes.ts";
import { isIndexed } from "./job-validation.ts";

const STATUS = field.newPath("status");
const CONDITIONS = STATUS.child("conditions");

type Status = Partial<batch.JobStatus>;

/** A status and its conditions. */
interface Seen {
  readonly status: Status;
  has(type: string, value?: string): boolean;
  readonly isFinished: boolean;
}

function seen({ status = {} }: batch.Job): Seen {
  const has = (type: string, value = "True"): boolean =>
    (status.conditions ?? []).some((c) => c.type === type && c.status === value);
  return { status, has, isFinished: has("Complete") || has("Failed") };
}

export function validateJobStatusUpdate(job: batch.Job, old: batch.Job): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, job.metadata ?? {}, old.metadata ?? {}, field.newPath("metadata"));
  const [now, before] = [seen(job), seen(old)];
  numbers(errors, now.status);
  uncounted(errors, now.status.uncountedTerminatedPods);
  endStates(errors, job, now, before);
  indexes(errors, job, now.status, before.status);
  otherConditions(errors, job, now, before);
  transitions(errors, job, now, before);
  return errors;
}

function numbers(errors: Errors, status: Status): void {
  for (const part of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    nonNegative(errors, status[part], STATUS.child(part));
  }
}

function uncounted(errors: Errors, pods: batch.UncountedTerminatedPods | undefined): void {
  const known = new Set<string>();
  for (const part of ["succeeded", "failed"] as const) {
    pods?.[part]?.forEach((uid, i) => {
      const at = STATUS.child("uncountedTerminatedPods", part).index(i);
      if (uid === "") errors.push(field.invalid(at, uid, "must not be empty"));
      else if (known.has(uid)) errors.push(field.duplicate(at, uid));
      known.add(uid);
    });
  }
}

const changed = (part: keyof batch.JobStatus, now: Seen, before: Seen): boolean =>
  !semanticEqual(now.status[part], before.status[part]);

function endStates(errors: Errors, job: batch.Job, now: Seen, before: Seen): void {
  const { status } = now;
  const turned = (type: string): boolean => now.has(type) !== before.has(type);
  const isFinishedChanged = now.isFinished !== before.isFinished;
  const refuse = (detail: string): void => void errors.push(field.invalidWithoutValue(CONDITIONS, detail));
  const isComplete = now.has("Complete");
  if ((turned("Complete") || turned("Failed")) && isComplete && now.has("Failed")) {
    refuse("cannot set Complete=True and Failed=true conditions");
  }
  if ((turned("Complete") || turned("FailureTarget")) && isComplete && now.has("FailureTarget")) {
    refuse("cannot set Complete=True and FailureTarget=true conditions");
  }
  const at = STATUS.child("completionTime");
  const completed = status.completionTime ?? undefined;
  const isTimeChanged = changed("completionTime", now, before);
  const isStartChanged = changed("startTime", now, before);
  if (turned("Complete") || isTimeChanged) {
    if (completed !== undefined && !isComplete) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      errors.push(field.invalid(at, completed, detail));
    }
    if (completed === undefined && isComplete) {
      errors.push(field.required(at, "completionTime is required for Complete jobs"));
    }
  }
  if (isStartChanged || isTimeChanged) {
    const [start, end] = [timeOrUndefined(status.startTime), timeOrUndefined(completed)];
    if (start !== undefined && end !== undefined && end < start) {
      errors.push(field.invalid(at, completed, "must be equal to or after `startTime`"));
    }
  }
  const isFailed = now.has("Failed");
  if ((turned("Failed") || changed("failedIndexes", now, before)) && isFailed && !now.has("FailureTarget")) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((turned("Complete") || turned("SuccessCriteriaMet")) && isComplete && !now.has("SuccessCriteriaMet")) {
    refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if (!now.isFinished) return;
  const { active = 0, uncountedTerminatedPods: pods } = status;
  if ((isFinishedChanged || changed("active", now, before)) && active > 0) {
    errors.push(field.invalid(STATUS.child("active"), active, "active>0 is invalid for finished job"));
  }
  const isIdle = job.spec?.suspend === true && job.spec.completions === 0;
  if ((isFinishedChanged || isStartChanged) && !isIdle && !status.startTime) {
    errors.push(field.required(STATUS.child("startTime"), "startTime is required for finished job"));
  }
  if ((isFinishedChanged || changed("uncountedTerminatedPods", now, before)) && pods) {
    if ((pods.succeeded?.length ?? 0) + (pods.failed?.length ?? 0) === 0) return;
    const value = internalForm("UncountedTerminatedPods", pods);
    errors.push(field.invalid(STATUS.child("uncountedTerminatedPods"), value, "must be empty for finished job"));
  }
}

function indexes(errors: Errors, { spec }: batch.Job, status: Status, old: Status): void {
  const { completions, backoffLimitPerIndex } = spec ?? {};
  const { completedIndexes = "", failedIndexes } = status;
  const [atCompleted, atFailed] = [STATUS.child("completedIndexes"), STATUS.child("failedIndexes")];
  const areCompletedChanged = completedIndexes !== (old.completedIndexes ?? "");
  const areFailedChanged = failedIndexes !== old.failedIndexes;
  const wellFormed = (text: string, what: string, at: field.FieldPath): void => {
    const counted = countIndexes(text, completions ?? 0);
    if (typeof counted !== "number") errors.push(field.invalid(at, text, `error parsing ${what}: ${counted.error}`));
  };
  if (areCompletedChanged && completions !== undefined) wellFormed(completedIndexes, "completedIndexes", atCompleted);
  if (areFailedChanged && completions !== undefined && backoffLimitPerIndex !== undefined) {
    if (failedIndexes !== undefined) wellFormed(failedIndexes, "failedIndexes", atFailed);
  }
  if (areCompletedChanged && completedIndexes !== "" && !isIndexed(spec)) {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(field.invalid(atCompleted, completedIndexes, detail));
  }
  if (areFailedChanged && failedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    errors.push(field.invalid(atFailed, failedIndexes, detail));
  }
  if ((areFailedChanged || areCompletedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const overlap = overlapOf(completedIndexes, failedIndexes, completions);
    if (overlap !== undefined) errors.push(field.invalid(atFailed, failedIndexes, overlap));
  }
}

function otherConditions(errors: Errors, job: batch.Job, now: Seen, before: Seen): void {
  const { terminating = 0, ready = 0, active = 0 } = now.status;
  const isFinishedChanged = now.isFinished !== before.isFinished;
  if ((isFinishedChanged || changed("terminating", now, before)) && terminating > 0 && now.isFinished) {
    errors.push(field.invalid(STATUS.child("terminating"), terminating, "terminating>0 is invalid for finished job"));
  }
  if ((changed("ready", now, before) || changed("active", now, before)) && ready > active) {
    errors.push(field.invalid(STATUS.child("ready"), ready, "cannot set more ready pods than active"));
  }
  const refuse = (detail: string): void => void errors.push(field.invalidWithoutValue(CONDITIONS, detail));
  const isSuccess = now.has("SuccessCriteriaMet");
  if (isSuccess && now.has("Failed")) refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (isSuccess && now.has("FailureTarget")) {
    refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (job.spec?.successPolicy && !isSuccess && now.has("Complete")) {
    refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

function transitions(errors: Errors, { spec }: batch.Job, now: Seen, before: Seen): void {
  const [status, old] = [now.status, before.status];
  const refuse = (detail: string): void => void errors.push(field.invalidWithoutValue(CONDITIONS, detail));
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (before.has(type) && !now.has(type)) refuse(`cannot disable the terminal ${type}=True condition`);
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  if (failed < (old.failed ?? 0)) {
    errors.push(field.invalid(STATUS.child("failed"), failed, "cannot decrease the failed counter"));
  }
  // An Indexed Job whose completions equal its parallelism may be scaled down.
  const mayShrink = isIndexed(spec) && spec?.completions === spec?.parallelism;
  if (!mayShrink && succeeded < (old.succeeded ?? 0)) {
    errors.push(field.invalid(STATUS.child("succeeded"), succeeded, "cannot decrease the succeeded counter"));
  }
  if (completionTime && old.completionTime && completionTime !== old.completionTime) {
    errors.push(field.invalid(STATUS.child("completionTime"), completionTime, "field is immutable"));
  }
  const isResumed = before.has("Suspended") && now.has("Suspended", "False");
  if (!isResumed && old.startTime && changed("startTime", now, before) && !spec?.suspend) {
    const detail = "field is immutable for unsuspended job once set";
    errors.push(field.invalid(STATUS.child("startTime"), startTime ?? null, detail));
  }
  const [isSuccess, wasSuccess] = [now.has("SuccessCriteriaMet"), before.has("SuccessCriteriaMet")];
  if (wasSuccess && !isSuccess) refuse("cannot disable the SuccessCriteriaMet=True condition");
  if (before.has("Complete") && !wasSuccess && isSuccess) {
    refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}
