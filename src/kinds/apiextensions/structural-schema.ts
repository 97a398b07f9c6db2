// Checks that a schema is structural: every node has a type, logical combinations only restrict, and metadata is left
// to the server. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{convert,validation,complete}.go

import * as field from "#api/field-error.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import {
  hasDefault,
  isEmbedded,
  itemsOf,
  type JSONSchemaProps,
  preservesUnknown,
  propertyOf,
  tupleOf,
  valuesOf,
} from "#cel/json-schema.ts";
import { compilePattern } from "#cel/patterns.ts";

type Errors = field.FieldError[];
type Path = field.FieldPath;
type Level = "root" | "item" | "field";

/** Why the schema cannot be converted to a structural schema; undefined if it can. */
export function unsupportedInStructural(schema: JSONSchemaProps | undefined): string | undefined {
  if (schema === undefined || schema === null) return undefined;
  const own = unsupportedField(schema);
  if (own !== undefined) return own;
  for (const list of [[schema.not], schema.allOf, schema.anyOf, schema.oneOf]) {
    for (const below of list ?? []) {
      const error = unsupportedInStructural(below);
      if (error !== undefined) return error;
    }
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (tupleOf(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const below of [itemsOf(schema), ...Object.values(schema.properties ?? {}), valuesOf(schema)]) {
    const error = unsupportedInStructural(below);
    if (error !== undefined) return error;
  }
  return undefined;
}

function unsupportedField(schema: JSONSchemaProps): string | undefined {
  const isSet = (value: unknown): boolean =>
    value !== undefined &&
    value !== null &&
    value !== "" &&
    (typeof value !== "object" || Object.keys(value).length > 0);
  const named: readonly [string, boolean][] = [
    ["id", isSet(schema.id)],
    ["schema", isSet(schema.$schema)],
    ["$ref", isSet(schema.$ref)],
    ["patternProperties", isSet(schema.patternProperties)],
    ["dependencies", isSet(schema.dependencies)],
    ["additionalItems", schema.additionalItems !== undefined && schema.additionalItems !== null],
    ["definitions", isSet(schema.definitions)],
  ];
  const found = named.find(([, isUsed]) => isUsed);
  return found === undefined ? undefined : `OpenAPIV3Schema '${found[0]}' is not supported`;
}

/** Errors sorted by text. */
export function validateStructural(schema: JSONSchemaProps | undefined, path: Path | undefined): Errors {
  const errors: Errors = [];
  if (schema === undefined) return errors;
  const root = path ?? new field.FieldPath("");
  invariants(errors, schema, "root", root);
  completeness(errors, schema, schema, root, root);
  return errors
    .map((error): [string, field.FieldError] => [field.errorText(error), error])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, error]) => error);
}

const TYPE_MISSING: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariants(errors: Errors, schema: JSONSchemaProps, level: Level, path: Path): void {
  const { type = "", properties = {} } = schema;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const hasMap = schema.additionalProperties !== undefined;
  const isResource = isEmbedded(schema);
  if (type === "array" && items === undefined) errors.push(field.required(path.child("items"), "must be specified"));
  if (items !== undefined) invariants(errors, items, "item", path.child("items"));
  for (const key of Object.keys(properties)) {
    invariants(errors, properties[key] as JSONSchemaProps, "field", path.child("properties").key(key));
  }
  if (hasMap && level === "root") {
    errors.push(field.forbidden(path.child("additionalProperties"), "must not be used at the root"));
  }
  if (values !== undefined) invariants(errors, values, "field", path.child("additionalProperties"));
  extensions(errors, schema, path);
  valueValidation(errors, schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path);
  if (isResource && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    const at = path.child("type");
    errors.push(type === "" ? field.required(at, detail) : field.invalid(at, type, detail));
  } else if (type === "" && !schema["x-kubernetes-int-or-string"] && !preservesUnknown(schema)) {
    errors.push(field.required(path.child("type"), TYPE_MISSING[level]));
  }
  if (isResource && hasMap) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(field.forbidden(path.child("additionalProperties"), detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(field.invalid(path.child("type"), type, "must be object at the root"));
  }
  resourceFields(errors, schema, level, path);
  if (isResource && !preservesUnknown(schema) && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(field.required(path.child("properties"), detail));
  }
}

function resourceFields(errors: Errors, schema: JSONSchemaProps, level: Level, path: Path): void {
  const isResource = level === "root" || isEmbedded(schema);
  const at = path.child("properties");
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(schema, name);
    if (property !== undefined && isResource && property.type !== "string") {
      errors.push(field.invalid(at.key(name).child("type"), property.type ?? "", "must be string"));
    }
  }
  const metadata = propertyOf(schema, "metadata");
  if (metadata === undefined) return;
  if (isResource && metadata.type !== "object") {
    errors.push(field.invalid(at.key("metadata").child("type"), metadata.type ?? "", "must be object"));
  }
  if (level !== "root" || saysOnlyNames(metadata)) return;
  const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  errors.push(field.forbidden(at.key("metadata"), detail));
}

function saysOnlyNames(metadata: JSONSchemaProps): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const hasOnlyNames = Object.keys(properties).every((name) => name === "name" || name === "generateName");
  const hasNothingElse = Object.values(rest).every(
    (value) => value === undefined || value === "" || value === false || (Array.isArray(value) && value.length === 0),
  );
  return hasOnlyNames && hasNothingElse;
}

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

const isIntOrString = (anyOf: readonly JSONSchemaProps[] | undefined): boolean => deepEqual(anyOf, INT_OR_STRING);

function extensions(errors: Errors, schema: JSONSchemaProps, path: Path): void {
  if (!schema["x-kubernetes-int-or-string"]) return;
  const detail = "must be false if x-kubernetes-int-or-string is true";
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema[name]) errors.push(field.invalid(path.child(name), true, detail));
  }
}

function valueValidation(
  errors: Errors,
  schema: JSONSchemaProps,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  path: Path,
): void {
  if (!skipsAnyOf) {
    schema.anyOf?.forEach((each, i) => {
      nested(errors, each, false, path.child("anyOf").index(i));
    });
  }
  schema.allOf?.forEach((each, i) => {
    nested(errors, each, skipsFirstAllOf && i === 0, path.child("allOf").index(i));
  });
  schema.oneOf?.forEach((each, i) => {
    nested(errors, each, false, path.child("oneOf").index(i));
  });
  if (schema.not) nested(errors, schema.not, false, path.child("not"));
  if (schema.pattern) {
    const compiled = compilePattern(schema.pattern);
    if (typeof compiled === "string") {
      const detail = `must be a valid regular expression, but isn't: ${compiled}`;
      errors.push(field.invalid(path.child("pattern"), schema.pattern, detail));
    }
  }
}

/** Fields that are not allowed inside a logical combination. */
const FORBIDDEN: readonly [keyof JSONSchemaProps, string][] = [
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nested(errors: Errors, schema: JSONSchemaProps, skipsAnyOf: boolean, path: Path): void {
  valueValidation(errors, schema, skipsAnyOf, false, path);
  const items = itemsOf(schema);
  if (items !== undefined) nested(errors, items, false, path.child("items"));
  const { properties = {} } = schema;
  for (const key of Object.keys(properties)) {
    nested(errors, properties[key] as JSONSchemaProps, false, path.child("properties").key(key));
  }
  if (schema.type) errors.push(field.forbidden(path.child("type"), "must be empty to be structural"));
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    errors.push(field.forbidden(path.child("additionalProperties"), "must be undefined to be structural"));
  }
  if (hasDefault(schema)) errors.push(field.forbidden(path.child("default"), "must be undefined to be structural"));
  for (const [name, detail] of FORBIDDEN) {
    const value = schema[name];
    const isSet = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "" && value !== false;
    if (isSet) errors.push(field.forbidden(path.child(name), detail));
  }
  if (Object.hasOwn(properties, "metadata")) {
    const detail = "must not be specified in a nested context";
    errors.push(field.forbidden(path.child("properties").key("metadata"), detail));
  }
}

/** Every field in a combination must also be specified outside of it. */
function completeness(
  errors: Errors,
  restriction: JSONSchemaProps,
  schema: JSONSchemaProps,
  at: Path,
  from: Path,
): void {
  const below = (each: JSONSchemaProps, path: Path): void => nestedCompleteness(errors, each, schema, at, path);
  if (restriction.not) below(restriction.not, from.child("not"));
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    restriction[name]?.forEach((each, i) => {
      below(each, from.child(name).index(i));
    });
  }
}

function nestedCompleteness(
  errors: Errors,
  restriction: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  at: Path,
  from: Path,
): void {
  if (schema === undefined) {
    errors.push(field.required(at, `because it is defined in ${from}`));
    return;
  }
  completeness(errors, restriction, schema, at, from);
  const items = itemsOf(restriction);
  if (items !== undefined) {
    nestedCompleteness(errors, items, itemsOf(schema), at.child("items"), from.child("items"));
  }
  const { properties = {} } = restriction;
  for (const key of Object.keys(properties)) {
    const [atKey, fromKey] = [at.child("properties").key(key), from.child("properties").key(key)];
    nestedCompleteness(errors, properties[key] as JSONSchemaProps, propertyOf(schema, key), atKey, fromKey);
  }
}
