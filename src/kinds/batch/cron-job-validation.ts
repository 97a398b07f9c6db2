// CronJobs. Upstream: pkg/apis/batch/validation, ValidateCronJobCreate, ValidateCronJobUpdate

import { parseCron } from "#api/cron.ts";
import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import type * as batch from "#api/generated/types/batch-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { loadTimeZone } from "#api/time-zone.ts";
import { type TimeZones, UTC_ONLY } from "#base/time-zones.ts";
import { type Errors, nonNegative, type Path, requiredOneOf } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { jobSpec } from "./job-validation.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

/** A Job's name adds eleven characters, and hostnames of its pods are limited to 63. */
const NAME_BYTES_MAX = 52;

type Spec = Partial<batch.CronJobSpec>;

export function validateCronJob(
  job: batch.CronJob,
  opts: PodOptions,
  zones: TimeZones | undefined,
): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, job.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  cronJobSpec(errors, job.spec ?? {}, undefined, opts, zones ?? UTC_ONLY);
  const name = job.metadata?.name ?? "";
  if (byteLength(name) > NAME_BYTES_MAX) {
    errors.push(field.invalid(METADATA.child("name"), name, `must be no more than ${NAME_BYTES_MAX} characters`));
  }
  return errors;
}

export function validateCronJobUpdate(
  job: batch.CronJob,
  old: batch.CronJob,
  opts: PodOptions,
  zones: TimeZones | undefined,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, job.metadata ?? {}, old.metadata ?? {}, METADATA);
  cronJobSpec(errors, job.spec ?? {}, old.spec ?? {}, opts, zones ?? UTC_ONLY);
  return errors;
}

function cronJobSpec(errors: Errors, spec: Spec, old: Spec | undefined, opts: PodOptions, zones: TimeZones): void {
  if (!spec.schedule) errors.push(field.required(SPEC.child("schedule"), ""));
  else scheduleFormat(errors, spec.schedule, spec.timeZone, old?.schedule?.includes("TZ") ?? false, zones);
  nonNegative(errors, spec.startingDeadlineSeconds, SPEC.child("startingDeadlineSeconds"));
  if (spec.timeZone !== undefined && (old === undefined || old.timeZone !== spec.timeZone)) {
    timeZone(errors, spec.timeZone, SPEC.child("timeZone"), zones);
  }
  const policies = ["Allow", "Forbid", "Replace"];
  requiredOneOf(errors, spec.concurrencyPolicy, SPEC.child("concurrencyPolicy"), policies);
  jobTemplate(errors, spec.jobTemplate?.spec ?? {}, SPEC.child("jobTemplate", "spec"), opts);
  nonNegative(errors, spec.successfulJobsHistoryLimit, SPEC.child("successfulJobsHistoryLimit"));
  nonNegative(errors, spec.failedJobsHistoryLimit, SPEC.child("failedJobsHistoryLimit"));
}

function jobTemplate(errors: Errors, spec: Partial<batch.JobSpec>, path: Path, opts: PodOptions): void {
  jobSpec(errors, spec, path, opts);
  if (spec.selector) {
    const value = internalForm("LabelSelector", spec.selector);
    errors.push(field.invalid(path.child("selector"), value, "`selector` will be auto-generated"));
  }
  if (spec.manualSelector) {
    errors.push(field.notSupported(path.child("manualSelector"), true, ["nil", "false"]));
  }
}

function scheduleFormat(
  errors: Errors,
  schedule: string,
  zone: string | undefined,
  hadZone: boolean,
  zones: TimeZones,
): void {
  const at = SPEC.child("schedule");
  const problem = problemOf(() => parseCron(schedule, zones));
  if (problem !== undefined) errors.push(field.invalid(at, schedule, problem));
  if (!schedule.includes("TZ")) return;
  if (!hadZone) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    errors.push(field.invalid(at, schedule, detail));
  } else if (zone !== undefined) {
    errors.push(field.invalid(at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
}

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

function timeZone(errors: Errors, zone: string, path: Path, zones: TimeZones): void {
  if (zone === "") {
    errors.push(field.invalid(path, zone, "timeZone must be nil or non-empty string"));
    return;
  }
  const isOdd = (part: string): boolean =>
    part === "." || part === ".." || part.startsWith("-") || !ZONE_PART.test(part);
  if (zone.split("/").some(isOdd)) {
    errors.push(field.invalid(path, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(field.invalid(path, zone, detail));
  }
  const problem = problemOf(() => loadTimeZone(zones, zone));
  if (problem !== undefined) errors.push(field.invalid(path, zone, problem));
}

function problemOf(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
}
