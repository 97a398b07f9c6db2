// The rules of metadata that all kinds share, as lists of errors.

import { type FieldError, newPath } from "#api/field-error.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { NameCheck } from "#api/names.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#rules/validation/metadata.ts";

const METADATA = newPath("metadata");

export function validateObjectMeta(meta: ObjectMeta, namespaced: boolean, nameCheck: NameCheck): FieldError[] {
  const errors: FieldError[] = [];
  genericObjectMeta(errors, meta, namespaced, nameCheck, METADATA);
  return errors;
}

/** What an update may not do to metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  genericObjectMetaUpdate(errors, meta, old, METADATA);
  return errors;
}
