// Checks that lists of type set or map have no duplicate items.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype

import * as field from "#api/field-error.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { itemsOf, type JSONSchemaProps, propertyOf, sortedJson, valuesOf } from "#cel/json-schema.ts";

type Path = field.FieldPath | undefined;

export function validateListTypes(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  path?: field.FieldPath,
): field.FieldError[] {
  const errors: field.FieldError[] = [];
  if (schema !== undefined && isObject(value)) checkObject(errors, value, schema, path);
  return errors;
}

function checkObject(errors: field.FieldError[], value: JsonObject, schema: JSONSchemaProps, path: Path): void {
  const values = valuesOf(schema);
  if (values !== undefined) {
    for (const key of Object.keys(value)) {
      check(errors, value[key], values, path === undefined ? new field.FieldPath(`[${key}]`) : path.key(key));
    }
  }
  for (const key of Object.keys(value)) {
    const property = propertyOf(schema, key);
    if (property !== undefined) check(errors, value[key], property, field.childOf(path, key));
  }
}

function check(errors: field.FieldError[], value: unknown, schema: JSONSchemaProps, path: field.FieldPath): void {
  if (isObject(value)) checkObject(errors, value, schema, path);
  if (!isArray(value)) return;
  if (schema["x-kubernetes-list-type"] === "set") {
    for (const i of repeated(value)) errors.push(field.duplicate(path.index(i), value[i]));
  } else if (schema["x-kubernetes-list-type"] === "map") {
    checkMap(errors, value, schema["x-kubernetes-list-map-keys"] ?? [], path);
  }
  const items = itemsOf(schema);
  if (items === undefined) return;
  value.forEach((item, i) => {
    check(errors, item, items, path.index(i));
  });
}

function checkMap(
  errors: field.FieldError[],
  list: readonly unknown[],
  keys: readonly string[],
  path: field.FieldPath,
): void {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    errors.push(field.invalid(path.index(wrong), list[wrong], "must be an object for an array of list-type map"));
    return;
  }
  const identities = list.map((item) => {
    const given = (item ?? {}) as JsonObject;
    return Object.fromEntries(keys.filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]]));
  });
  for (const i of repeated(identities)) errors.push(field.duplicate(path.index(i), identities[i]));
}

/** The indexes of repeated values. */
function repeated(list: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  const indexes: number[] = [];
  list.forEach((item, i) => {
    const text = sortedJson(item);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) indexes.push(i);
  });
  return indexes;
}
