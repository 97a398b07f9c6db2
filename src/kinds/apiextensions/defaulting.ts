// Applies the defaults of a structural schema, and removes nulls that are not nullable and have no default. Unchanged
// parts are shared with the input.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting

import { isArray, isObject, setOwn } from "#api/patch/json-value.ts";
import { hasDefault, itemsOf, type JSONSchemaProps, propertyOf, valuesOf } from "#cel/json-schema.ts";
import { mapFields, mapItems } from "./pruning.ts";

const isNonNullableNull = (value: unknown, schema: JSONSchemaProps | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

export function applySchemaDefaults(value: unknown, schema: JSONSchemaProps | undefined): unknown {
  if (schema === undefined) return value;
  if (isArray(value)) {
    const items = itemsOf(schema);
    return mapItems(value, (item) => applySchemaDefaults(orDefault(item, items), items));
  }
  if (!isObject(value)) return value;
  let object = value;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(schema.properties ?? {})) {
    const property = propertyOf(schema, key) as JSONSchemaProps;
    if (!hasDefault(property)) continue;
    if (Object.hasOwn(object, key) && !isNonNullableNull(object[key], property)) continue;
    copy ??= { ...value };
    setOwn(copy, key, property.default);
    object = copy;
  }
  return mapFields(object, (field, key) => {
    const property = propertyOf(schema, key);
    if (property !== undefined) return applySchemaDefaults(field, property);
    const values = valuesOf(schema);
    return values === undefined ? field : applySchemaDefaults(orDefault(field, values), values);
  });
}

/** Upstream writes a missing default as null. */
function orDefault(value: unknown, schema: JSONSchemaProps | undefined): unknown {
  return isNonNullableNull(value, schema) ? (schema?.default ?? null) : value;
}

export function pruneNulls(value: unknown, schema: JSONSchemaProps | undefined): unknown {
  if (isArray(value)) return mapItems(value, (item) => pruneNulls(item, itemsOf(schema)));
  if (!isObject(value)) return value;
  return mapFields(value, (field, key) => {
    const below = propertyOf(schema, key) ?? valuesOf(schema);
    if (isNonNullableNull(field, below) && !hasDefault(below as JSONSchemaProps)) return undefined;
    return pruneNulls(field, below);
  });
}
