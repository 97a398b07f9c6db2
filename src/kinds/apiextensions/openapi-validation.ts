// Validates a value against a schema, with the messages of upstream's OpenAPI validator. On an update, unchanged parts
// may stay invalid.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate; apiextensions-apiserver/pkg/apiserver/validation/ratcheting.go

import type * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import { isInt64 } from "#api/int64.ts";
import { deepEqual, isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { hasFormat, recognizedFormat } from "#cel/formats.ts";
import { itemsOf, type JSONSchemaProps, valuesOf } from "#cel/json-schema.ts";
import { compilePattern, matchesPattern } from "#cel/patterns.ts";
import type { Correlation } from "./correlation.ts";
import { checkNumber } from "./number-validation.ts";
import {
  enumError,
  fieldErrorsOf,
  limitError,
  otherError,
  plainError,
  requiredError,
  typeError,
  ValidationResult,
} from "./validation-result.ts";

/** `correlation` links to the old object on an update; errors in equal parts are dropped. */
export function validateSchema(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  root?: field.FieldPath,
  correlation?: Correlation,
): field.FieldError[] {
  if (schema === undefined) return [];
  return fieldErrorsOf(ratcheted(schema, value, "", correlation), root);
}

function ratcheted(
  schema: JSONSchemaProps,
  value: unknown,
  path: string,
  correlation: Correlation | undefined,
): ValidationResult {
  const result = validate(schema, value, path, correlation);
  if (result.isValid || correlation?.isEqual !== true) return result;
  const tolerated = new ValidationResult();
  tolerated.matchCount = result.matchCount;
  return tolerated;
}

const isTypeMeta = (path: string, name: string): boolean => path === "" && (name === "kind" || name === "apiVersion");

function typesOf(schema: JSONSchemaProps): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type ? [schema.type] : [];
}

function validate(schema: JSONSchemaProps, value: unknown, path: string, correlation?: Correlation): ValidationResult {
  const result = new ValidationResult();
  const types = typesOf(schema);
  const format = recognizedFormat(types.length === 1 ? (types[0] as string) : "", schema.format);
  if (value === null || value === undefined) {
    if (types.length > 0 && !schema.nullable) result.add(typeError(path, types.join(","), "null"));
    else result.matchCount++;
    checkEnum(result, schema, null, path);
    return result;
  }
  if (types.length > 0 || format !== "") {
    checkType(result, types, format, value, path);
    result.matchCount++;
  }
  result.merge(checkCombinations(schema, value, path));
  result.matchCount++;
  if (typeof value === "string") {
    checkString(result, schema, value, path);
    result.matchCount++;
    if (format !== "") {
      const fits = hasFormat(format, value);
      if (fits !== undefined) {
        if (!fits) result.add(typeError(path, format, value));
        result.matchCount++;
      }
    }
  } else if (typeof value === "number" || typeof value === "bigint") {
    checkNumber(result, schema, types, format, value, path);
    result.matchCount++;
  } else if (isArray(value)) {
    checkArray(result, schema, value, path, correlation);
    result.matchCount++;
  }
  checkEnum(result, schema, value, path);
  result.matchCount++;
  if (isObject(value)) {
    checkObject(result, schema, value, path, correlation);
    result.matchCount++;
  }
  result.matchCount++;
  return result;
}

/** Go's names for a JSON value: its type, and the format of its number. */
function kindOf(value: unknown): { readonly type: string; readonly format: string } {
  if (isInt64(value)) return { type: "integer", format: "int64" };
  if (typeof value === "number") return { type: "number", format: "float64" };
  if (isArray(value)) return { type: "array", format: "" };
  return { type: isObject(value) ? "object" : typeof value, format: "" };
}

function checkType(
  result: ValidationResult,
  types: readonly string[],
  format: string,
  value: unknown,
  path: string,
): void {
  const kind = kindOf(value);
  const isIntForNumber = kind.type === "integer" && types.includes("number");
  const isTextual = typeof value === "string" || isArray(value);
  const fits = types.includes(kind.type) || isIntForNumber;
  if (!isTextual && format !== "" && !fits && kind.format !== format) {
    result.add(typeError(path, format, kind.format));
    return;
  }
  if (!types.includes("number") && !types.includes("integer") && format !== "" && isTextual) {
    result.matchCount++;
    return;
  }
  if (fits) result.matchCount++;
  else result.add(typeError(path, types.join(","), kind.type));
}

function checkEnum(result: ValidationResult, schema: JSONSchemaProps, value: unknown, path: string): void {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return;
  const isAllowed = value !== null && allowed.some((each) => each !== null && deepEqual(each, value));
  if (!isAllowed) result.add(enumError(path, value, allowed));
}

function checkString(result: ValidationResult, schema: JSONSchemaProps, value: string, path: string): void {
  const { maxLength, minLength, pattern } = schema;
  const length = (): number => Array.from(value).length;
  if (maxLength !== undefined && length() > maxLength) {
    result.add(limitError("tooLong", path, `should be at most ${maxLength} chars long`, maxLength, value));
  } else if (minLength !== undefined && length() < minLength) {
    result.add(otherError(path, `should be at least ${minLength} chars long`, value));
  } else if (pattern !== undefined && pattern !== "") {
    const compiled = compilePattern(pattern);
    if (typeof compiled === "string") {
      result.add(otherError(path, `should match '${pattern}, but pattern is invalid: ${compiled}'`, value));
    } else if (!matchesPattern(compiled, value)) {
      result.add(otherError(path, `should match '${pattern}'`, value));
    }
  }
}

function checkArray(
  result: ValidationResult,
  schema: JSONSchemaProps,
  list: readonly unknown[],
  path: string,
  correlation: Correlation | undefined,
): void {
  const items = itemsOf(schema);
  if (items !== undefined) {
    list.forEach((item, i) => {
      result.merge(ratcheted(items, item, `${path}[${i}]`, correlation?.index(i)));
    });
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems) {
    result.add(otherError(path, `should have at least ${minItems} items`, list.length));
  }
  if (maxItems !== undefined && list.length > maxItems) {
    result.add(limitError("maxItems", path, `should have at most ${maxItems} items`, maxItems, list.length));
  }
  if (schema.uniqueItems && list.some((item, i) => list.slice(0, i).some((before) => deepEqual(before, item)))) {
    result.add(otherError(path, "shouldn't contain duplicates"));
  }
  result.matchCount++;
}

function checkObject(
  result: ValidationResult,
  schema: JSONSchemaProps,
  object: JsonObject,
  path: string,
  correlation: Correlation | undefined,
): void {
  const keys = Object.keys(object);
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && keys.length < minProperties) {
    result.add(otherError(path, `should have at least ${minProperties} properties`, keys.length));
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    const text = `should have at most ${maxProperties} properties`;
    result.add(limitError("maxProperties", path, text, maxProperties, keys.length));
  }
  const properties = schema.properties ?? {};
  const below = (name: string): Correlation | undefined =>
    isTypeMeta(path, name) ? undefined : correlation?.key(name);
  const values = valuesOf(schema);
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    if (schema.additionalProperties === false) {
      result.add({ code: "other", name: path, message: `${path}.${key} in body is a forbidden property`, value: key });
    } else if (values !== undefined) {
      result.merge(ratcheted(values, object[key], `${path}.${key}`, below(key)));
    }
  }
  for (const key of Object.keys(properties)) {
    if (!Object.hasOwn(object, key)) continue;
    const name = path === "" ? key : `${path}.${key}`;
    result.merge(ratcheted(properties[key] as JSONSchemaProps, object[key], name, below(key)));
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(object, key)) result.add(requiredError(`${path}.${key}`));
  }
}

function checkCombinations(schema: JSONSchemaProps, value: unknown, path: string): ValidationResult {
  const result = new ValidationResult();
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) checkAnyOf(result, schema.anyOf, value, path);
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) checkOneOf(result, schema.oneOf, value, path);
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const results = schema.allOf.map((each) => validate(each, value, path));
    for (const each of results) result.merge(each);
    const validCount = results.filter(({ isValid }) => isValid).length;
    if (validCount !== results.length) {
      const more = validCount === 0 ? ". None validated" : "";
      result.add(plainError(`${goQuote(path)} must validate all the schemas (allOf)${more}`));
    }
  }
  if (schema.not !== undefined && schema.not !== null && validate(schema.not, value, path).isValid) {
    result.add(plainError(`${goQuote(path)} must not validate the schema (not)`));
  }
  result.matchCount++;
  return result;
}

function checkAnyOf(result: ValidationResult, schemas: readonly JSONSchemaProps[], value: unknown, path: string): void {
  let best: ValidationResult | undefined;
  for (const schema of schemas) {
    const each = validate(schema, value, path);
    if (each.isValid) {
      result.merge(each);
      return;
    }
    if (best === undefined || each.matchCount > best.matchCount) best = each;
  }
  result.add(plainError(`${goQuote(path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) result.merge(best);
}

function checkOneOf(result: ValidationResult, schemas: readonly JSONSchemaProps[], value: unknown, path: string): void {
  let best: ValidationResult | undefined;
  let first: ValidationResult | undefined;
  let validCount = 0;
  for (const schema of schemas) {
    const each = validate(schema, value, path);
    if (each.isValid) {
      validCount++;
      best = undefined;
      first ??= each;
    } else if (validCount === 0 && (best === undefined || each.matchCount > best.matchCount)) best = each;
  }
  if (validCount === 1) {
    if (first !== undefined) result.merge(first);
    return;
  }
  const more = validCount === 0 ? "Found none valid" : `Found ${validCount} valid alternatives`;
  result.add(plainError(`${goQuote(path)} must validate one and only one schema (oneOf). ${more}`));
  if (best !== undefined) result.merge(best);
}
