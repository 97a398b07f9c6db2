// Semantic equality of objects in wire form: missing, null and empty lists are equal. With a schema, so are maps, and
// quantities and times are compared by value.
//
// Deviation: without a schema an empty object differs from a missing one, because `emptyDir: {}` must; and zero values
// must be omitted, as in the wire form of upstream's types.
// Upstream: k8s.io/apimachinery/pkg/api/equality, Semantic.DeepEqual and DeepDerivative

import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Schema } from "#api/schema.ts";
import { timeOrUndefined } from "#api/time.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function semanticEqual(a: unknown, b: unknown, schema?: Schema): boolean {
  if (a === b) return true;
  if (isUnset(a, schema)) return isUnset(b, schema);
  if (isUnset(b, schema)) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => semanticEqual(item, b[i], schema?.items));
  }
  if (isFields(a)) return isFields(b) && fieldsEqual(a, b, schema);
  return scalarsEqual(a, b, schema);
}

/** A missing value, an empty list, or an empty map if the schema defines it as a map. */
function isUnset(value: unknown, schema: Schema | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return schema?.additionalProperties !== undefined && isFields(value) && Object.keys(value).length === 0;
}

function fieldsEqual(a: Fields, b: Fields, schema: Schema | undefined): boolean {
  for (const key in a) {
    if (!semanticEqual(a[key], own(b, key), fieldSchema(schema, key))) return false;
  }
  for (const key in b) {
    if (!Object.hasOwn(a, key) && !isUnset(b[key], fieldSchema(schema, key))) return false;
  }
  return true;
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return additionalProperties === true ? undefined : additionalProperties;
}

function scalarsEqual(a: unknown, b: unknown, schema: Schema | undefined): boolean {
  if (schema?.format === "quantity")
    return isAmount(a) && isAmount(b) && quantityFromWire(a).equals(quantityFromWire(b));
  if (schema?.format === "date-time" && typeof a === "string" && typeof b === "string") {
    const instant = timeOrUndefined(a);
    return instant !== undefined && instant === timeOrUndefined(b);
  }
  return false;
}

const isAmount = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

/** Whether b contains everything in a. Unset fields of a are not compared, and b's lists may be longer. */
export function isDerivative(a: unknown, b: unknown, schema?: Schema): boolean {
  if (a === b || isUnset(a, schema) || a === "") return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length > b.length) return false;
    return a.every((item, i) => isDerivative(item, b[i], schema?.items));
  }
  if (isFields(a)) {
    const other = isFields(b) ? b : undefined;
    if (other === undefined) return false;
    return Object.keys(a).every((key) => isDerivative(a[key], own(other, key), fieldSchema(schema, key)));
  }
  return scalarsEqual(a, b, schema);
}
