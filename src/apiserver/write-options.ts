// The parameters of writes: dry run, field manager, field validation, force; and DeleteOptions, from the body or, if
// that is empty, from the query.
// Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateCreateOptions and its siblings

import * as field from "#api/field-error.ts";
import { byteLength } from "#api/go-text.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { newInvalid } from "#api/status-error.ts";
import { validateDryRun } from "#kinds/parts/delete-options.ts";
import type { Query } from "./query.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty: derived from the user agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const NO_OPTIONS: WriteOptions = { dryRun: false, fieldManager: "", fieldValidation: "Warn", force: false };

export function parseWriteOptions(query: Query, kind: "CreateOptions" | "UpdateOptions"): WriteOptions {
  if (query.isEmpty) return NO_OPTIONS;
  return checked(query, kind, []);
}

export function parsePatchOptions(query: Query, isApply: boolean): WriteOptions {
  const errors: field.FieldError[] = [];
  if (isApply) {
    if (query.text("fieldManager") === "") {
      errors.push(field.required(field.newPath("fieldManager"), "is required for apply patch"));
    }
  } else if (query.optionalFlag("force") !== undefined) {
    errors.push(field.forbidden(field.newPath("force"), "may not be specified for non-apply patch"));
  }
  return checked(query, "PatchOptions", errors);
}

function checked(query: Query, kind: string, errors: field.FieldError[]): WriteOptions {
  const fieldManager = query.text("fieldManager");
  const fieldValidation = query.text("fieldValidation");
  const dryRun = query.all("dryRun");
  errors.push(...validateFieldManager(fieldManager), ...validateDryRun(dryRun));
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    const supported = ["", "Ignore", "Strict", "Warn"];
    errors.push(field.notSupported(field.newPath("fieldValidation"), fieldValidation, supported));
  }
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || "Warn") as FieldValidation,
    force: query.flag("force"),
  };
}

const FIELD_MANAGER_BYTES_MAX = 128;
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function validateFieldManager(manager: string): field.FieldError[] {
  const path = field.newPath("fieldManager");
  const errors: field.FieldError[] = [];
  if (byteLength(manager) > FIELD_MANAGER_BYTES_MAX) errors.push(field.tooLong(path, FIELD_MANAGER_BYTES_MAX));
  let position = 0;
  for (const char of manager) {
    if (NOT_PRINTABLE.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(field.invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(char);
  }
  return errors;
}

export function deleteOptionsOfQuery(query: Query): DeleteOptions {
  const gracePeriodSeconds = query.optionalInt64("gracePeriodSeconds");
  const orphanDependents = query.optionalFlag("orphanDependents");
  const policies = query.all("propagationPolicy");
  const dryRun = query.all("dryRun");
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(policies.length === 0 ? {} : { propagationPolicy: policies[0] as string }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}
