// The schema of a custom resource in the form of its definition, with the few accessors that all readers share.
// Pruning, defaulting, validation and CEL read this form without conversion.

import type { JSONSchemaProps } from "#api/generated/types/apiextensions-v1.ts";
import { stringifyJson } from "#base/json.ts";

export type {
  CustomResourceDefinition,
  JSONSchemaProps,
  ValidationRule,
} from "#api/generated/types/apiextensions-v1.ts";

/** The schema of array items; also undefined for a list of schemas, which structural schemas do not have. */
export function itemsOf(schema: JSONSchemaProps | undefined): JSONSchemaProps | undefined {
  const items = schema?.items;
  return items === undefined || items === null || Array.isArray(items) ? undefined : (items as JSONSchemaProps);
}

/** The schemas of a tuple. */
export function tupleOf(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  return Array.isArray(schema.items) ? (schema.items as readonly JSONSchemaProps[]) : [];
}

/** The schema of a map's values; undefined for a boolean. */
export function valuesOf(schema: JSONSchemaProps | undefined): JSONSchemaProps | undefined {
  const values = schema?.additionalProperties;
  return typeof values === "object" && values !== null ? values : undefined;
}

export function propertyOf(schema: JSONSchemaProps | undefined, name: string): JSONSchemaProps | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export const hasDefault = (schema: JSONSchemaProps): boolean => schema.default !== undefined && schema.default !== null;

export const preservesUnknown = (schema: JSONSchemaProps | undefined): boolean =>
  schema?.["x-kubernetes-preserve-unknown-fields"] === true;

export const isEmbedded = (schema: JSONSchemaProps | undefined): boolean =>
  schema?.["x-kubernetes-embedded-resource"] === true;

const embedded = new WeakMap<JSONSchemaProps, JSONSchemaProps>();
const EMPTY_ROOT: JSONSchemaProps = { "x-kubernetes-embedded-resource": true };

/** The root of a resource has apiVersion, kind and metadata, like an embedded resource. */
export function asEmbedded(schema: JSONSchemaProps | undefined): JSONSchemaProps {
  if (schema === undefined) return EMPTY_ROOT;
  if (isEmbedded(schema)) return schema;
  let made = embedded.get(schema);
  if (made === undefined) {
    made = { ...schema, "x-kubernetes-embedded-resource": true };
    embedded.set(schema, made);
  }
  return made;
}

/** Whether any schema in the tree satisfies the predicate. Upstream: validation.go, SchemaHas */
export function someSchema(
  schema: JSONSchemaProps | undefined,
  fulfils: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (schema === undefined || schema === null) return false;
  if (fulfils(schema)) return true;
  for (const below of schemasBelow(schema)) if (someSchema(below, fulfils)) return true;
  return false;
}

function* schemasBelow(schema: JSONSchemaProps): Generator<JSONSchemaProps | undefined> {
  yield itemsOf(schema);
  yield* tupleOf(schema);
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) if (list) yield* list;
  yield schema.not;
  yield* Object.values(schema.properties ?? {});
  yield valuesOf(schema);
  yield* Object.values(schema.patternProperties ?? {});
  if (typeof schema.additionalItems === "object") yield schema.additionalItems;
  yield* Object.values(schema.definitions ?? {});
  for (const dependency of Object.values(schema.dependencies ?? {})) {
    if (!Array.isArray(dependency)) yield dependency as JSONSchemaProps;
  }
}

/** JSON in Go's form, with sorted keys. Equal values have equal texts. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return stringifyJson(value) ?? "null";
  const record = value as Readonly<Record<string, unknown>>;
  const entries = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sortedJson(record[key])}`);
  return `{${entries.join(",")}}`;
}
