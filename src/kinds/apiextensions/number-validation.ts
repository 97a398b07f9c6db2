// Bounds of numbers. Upstream compares whole numbers as int64.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/{validator.go,values.go}, numberValidator

import { type Int64, int64From, isInt64 } from "#api/int64.ts";
import { goFormat } from "#api/patch/go-format.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { otherError, plainError, type SchemaError, type ValidationResult } from "./validation-result.ts";

/** Whether the value fits an int64. */
const fitsInt64 = (value: Int64): boolean =>
  isInt64(value) || (Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63);

export function checkNumber(
  result: ValidationResult,
  schema: JSONSchemaProps,
  types: readonly string[],
  format: string,
  value: Int64,
  path: string,
): void {
  const type = types.length === 1 && (types[0] === "integer" || types[0] === "number") ? types[0] : "";
  const numberFormat = type === "" ? "" : format;
  const outOfRange = (checked: Int64, what: string): SchemaError | undefined =>
    rangeError(checked, type, numberFormat, what, path);
  const add = (error: SchemaError | undefined): boolean => {
    if (error !== undefined) result.add(error);
    return error === undefined;
  };
  add(outOfRange(value, "Checked"));
  const { multipleOf, minimum, maximum } = schema;
  /** Two integers are compared as int64, other pairs as doubles. */
  const comparable = (bound: number, what: string): { readonly given: Int64; readonly bound: Int64 } => {
    const isNative = add(outOfRange(bound, what)) && isInt64(value);
    return isNative ? { given: value, bound: int64From(bound) } : { given: Number(value), bound };
  };
  if (multipleOf !== undefined) {
    const { given, bound } = comparable(multipleOf, "MultipleOf");
    add(multipleError(given, bound, path));
  }
  if (minimum !== undefined) {
    const { given, bound } = comparable(minimum, "Minimum boundary");
    if (schema.exclusiveMinimum ? given <= bound : given < bound) {
      const text = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
      result.add(otherError(path, `should be ${text} ${goFormat(bound)}`, given));
    }
  }
  if (maximum !== undefined) {
    const { given, bound } = comparable(maximum, "Maximum boundary");
    if (schema.exclusiveMaximum ? given >= bound : given > bound) {
      const text = schema.exclusiveMaximum ? "less than" : "less than or equal to";
      result.add(otherError(path, `should be ${text} ${goFormat(bound)}`, given));
    }
  }
  result.matchCount++;
}

function multipleError(value: Int64, factor: Int64, path: string): SchemaError | undefined {
  if (factor <= 0) {
    const message = `factor MultipleOf declared for ${path} must be positive: ${goFormat(factor)}`;
    return { code: "other", name: path, message, value: factor };
  }
  const isMultiple =
    isInt64(value) && isInt64(factor)
      ? BigInt(value) % BigInt(factor) === 0n
      : isWhole(factor < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor));
  return isMultiple ? undefined : otherError(path, `should be a multiple of ${goFormat(factor)}`, value);
}

/** Upstream: github.com/go-openapi/swag, IsFloat64AJSONInteger */
function isWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const near = Math.trunc(value);
  if (value === near) return true;
  if (near <= 0) return false;
  return Math.abs(value - near) / (Math.abs(value) + near) < 1e-9;
}

function rangeError(value: Int64, type: string, format: string, what: string, path: string): SchemaError | undefined {
  let fits = true;
  if (type === "integer") {
    fits = fitsInt64(value) && (format !== "int32" || (value >= -2147483648 && value <= 2147483647));
  } else if (format === "float") fits = Number.isFinite(Math.fround(Number(value)));
  if (fits) return undefined;
  const kind = format === "" ? "(default format)" : `with format ${format}`;
  return plainError(`${what} value must be of type ${type} ${kind} in ${path}`);
}
