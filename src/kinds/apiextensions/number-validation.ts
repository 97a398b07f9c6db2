// Bounds of numbers. A whole number is an int64 to upstream and is compared as one.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/{validator.go,values.go}, numberValidator

import { goFormat } from "#api/patch/go-format.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { otherError, plainError, type SchemaError, type ValidationResult } from "./validation-result.ts";

const isInt = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63;

export function checkNumber(
  result: ValidationResult,
  schema: JSONSchemaProps,
  types: readonly string[],
  format: string,
  value: number,
  path: string,
): void {
  const type = types.length === 1 && (types[0] === "integer" || types[0] === "number") ? types[0] : "";
  const numberFormat = type === "" ? "" : format;
  const outOfRange = (checked: number, what: string): SchemaError | undefined =>
    rangeError(checked, type, numberFormat, what, path);
  const add = (error: SchemaError | undefined): boolean => {
    if (error !== undefined) result.add(error);
    return error === undefined;
  };
  add(outOfRange(value, "Checked"));
  const { multipleOf, minimum, maximum } = schema;
  const isNativeInt = isInt(value);
  if (multipleOf !== undefined) {
    const isNative = add(outOfRange(multipleOf, "MultipleOf"));
    add(
      multipleError(
        value,
        isNative && isNativeInt ? Math.trunc(multipleOf) : multipleOf,
        isNative && isNativeInt,
        path,
      ),
    );
  }
  if (minimum !== undefined) {
    const isNative = add(outOfRange(minimum, "Minimum boundary"));
    const bound = isNative && isNativeInt ? Math.trunc(minimum) : minimum;
    if (schema.exclusiveMinimum ? value <= bound : value < bound) {
      const text = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
      result.add(otherError(path, `should be ${text} ${goFormat(bound)}`, value));
    }
  }
  if (maximum !== undefined) {
    const isNative = add(outOfRange(maximum, "Maximum boundary"));
    const bound = isNative && isNativeInt ? Math.trunc(maximum) : maximum;
    if (schema.exclusiveMaximum ? value >= bound : value > bound) {
      const text = schema.exclusiveMaximum ? "less than" : "less than or equal to";
      result.add(otherError(path, `should be ${text} ${goFormat(bound)}`, value));
    }
  }
  result.matchCount++;
}

function multipleError(value: number, factor: number, isInteger: boolean, path: string): SchemaError | undefined {
  if (factor <= 0) {
    const message = `factor MultipleOf declared for ${path} must be positive: ${goFormat(factor)}`;
    return { code: "other", name: path, message, value: factor };
  }
  const isMultiple = isInteger ? value % factor === 0 : isWhole(factor < 1 ? (1 / factor) * value : value / factor);
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

function rangeError(value: number, type: string, format: string, what: string, path: string): SchemaError | undefined {
  let fits = true;
  if (type === "integer") {
    fits = isInt(value) && (format !== "int32" || (value >= -2147483648 && value <= 2147483647));
  } else if (format === "float") fits = Number.isFinite(Math.fround(value));
  if (fits) return undefined;
  const kind = format === "" ? "(default format)" : `with format ${format}`;
  return plainError(`${what} value must be of type ${type} ${kind} in ${path}`);
}
