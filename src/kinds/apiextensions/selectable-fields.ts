// Fields of a custom resource that field selectors may name.
// Upstream: apiextensions validation.go, ValidateCustomResourceSelectableFields; registry/customresource/strategy.go

import * as field from "#api/field-error.ts";
import type { SelectableField } from "#api/generated/types/apiextensions-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { isObject } from "#api/patch/json-value.ts";
import { findField } from "#cel/field-path.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";

const FIELDS_MAX = 8;

export function validateSelectableFields(
  errors: field.FieldError[],
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: field.FieldPath,
): void {
  const seen = new Set<string>();
  fields.forEach(({ jsonPath = "" }, i) => {
    const at = path.index(i).child("jsonPath");
    if (jsonPath === "") {
      errors.push(field.required(at, ""));
      return;
    }
    const found = findField(jsonPath, schema, false);
    if (typeof found === "string") {
      errors.push(field.invalid(at, jsonPath, `is an invalid path: ${found}`));
      return;
    }
    if (found.names[0] === "metadata") errors.push(field.invalid(at, jsonPath, "must not point to fields in metadata"));
    const type = found.schema?.type;
    if (type !== "string" && type !== "boolean" && type !== "integer") {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(field.invalid(at, jsonPath, detail));
    }
    if (seen.has(found.text)) errors.push(field.duplicate(at, jsonPath));
    seen.add(found.text);
  });
  if (seen.size > FIELDS_MAX) errors.push(field.tooMany(path, seen.size, FIELDS_MAX));
}

/** The value of each field in the form that selectors compare; "" if absent. */
export function selectableValues(
  object: KubeObject,
  fields: readonly { readonly name: string; readonly path: readonly string[] }[],
): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name, path }) => {
      let value: unknown = object;
      for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
      return [name, value === undefined || value === null ? "" : goFormat(value)];
    }),
  );
}
