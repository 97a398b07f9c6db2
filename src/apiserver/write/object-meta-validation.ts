// Validates the metadata of all kinds, as lists of errors.

import * as field from "#api/field-error.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";

export type ValidateName = (name: string, isPrefix: boolean) => string[];

const METADATA = field.newPath("metadata");

export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  validateName: ValidateName,
): field.FieldError[] {
  const { generateName = "", ...rest } = meta;
  const errors: field.FieldError[] = [];
  for (const message of generateName === "" ? [] : validateName(generateName, true)) {
    errors.push(field.invalid(METADATA.child("generateName"), generateName, message));
  }
  genericObjectMeta(errors, rest, namespaced, (name) => validateName(name, false), METADATA);
  return errors;
}

/** Validates an update of metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): field.FieldError[] {
  const errors: field.FieldError[] = [];
  genericObjectMetaUpdate(errors, meta, old, METADATA);
  return errors;
}
