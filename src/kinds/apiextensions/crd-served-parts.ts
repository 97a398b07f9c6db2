// What a version serves besides its objects: printer columns, status and scale.
// Upstream: apiextensions validation.go, ValidateCustomResourceColumnDefinition, ValidateCustomResourceDefinitionSubresources

import * as field from "#api/field-error.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
} from "#api/generated/types/apiextensions-v1.ts";

type Errors = field.FieldError[];
type Path = field.FieldPath;

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function validateColumns(
  errors: Errors,
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  parent: Path,
): void {
  columns?.forEach(({ name, type, format, jsonPath }, i) => {
    const path = parent.child("additionalPrinterColumns").index(i);
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    if (!name) errors.push(field.required(path.child("name"), ""));
    if (!type) errors.push(field.required(path.child("type"), types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(field.invalid(path.child("type"), type, types));
    if (format && !COLUMN_FORMATS.includes(format)) {
      errors.push(field.invalid(path.child("format"), format, `must be one of ${COLUMN_FORMATS.join(",")}`));
    }
    if (!jsonPath) errors.push(field.required(path.child("JSONPath"), ""));
    else simplePath(errors, jsonPath, path.child("JSONPath"));
  });
}

/** Whether the text is a simple JSON path. */
function simplePath(errors: Errors, text: string, path: Path): boolean {
  if (text.startsWith(".")) return true;
  errors.push(field.invalid(path, text, "must be a simple json path starting with ."));
  return false;
}

export function validateSubresources(
  errors: Errors,
  subresources: CustomResourceSubresources | undefined,
  path: Path,
): void {
  const scale = subresources?.scale;
  if (!scale) return;
  for (const [name, prefix] of [
    ["specReplicasPath", ".spec"],
    ["statusReplicasPath", ".status"],
  ] as const) {
    const text = scale[name] ?? "";
    const at = path.child(`scale.${name}`);
    if (text === "") errors.push(field.required(at, ""));
    else if (simplePath(errors, text, at) && !text.startsWith(`${prefix}.`)) {
      errors.push(field.invalid(at, text, `should be a json path under ${prefix}`));
    }
  }
  const selector = scale.labelSelectorPath ?? "";
  const at = path.child("scale.labelSelectorPath");
  if (selector === "" || !simplePath(errors, selector, at)) return;
  if (!selector.startsWith(".spec.") && !selector.startsWith(".status.")) {
    errors.push(field.invalid(at, selector, "should be a json path under either .spec or .status"));
  }
}
