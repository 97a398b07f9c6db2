// The metadata of a custom resource and of embedded resources: coerced to ObjectMeta, and validated.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta

import * as field from "#api/field-error.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { isDns1035Label, isPathSegmentName } from "#api/names.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { asEmbedded, isEmbedded, itemsOf, type JSONSchemaProps, propertyOf, valuesOf } from "#cel/json-schema.ts";
import { genericObjectMeta } from "#kinds/parts/metadata.ts";
import { mapFields, mapItems } from "./pruning.ts";

export interface ReadMetadata {
  /** In the server's form, without an empty creationTimestamp. */
  readonly value: JsonObject;
  readonly unknownFields: readonly string[];
}

/** Decodes a value as ObjectMeta. Throws on malformed fields, unless `isLenient` drops them. */
export type MetadataReader = (value: unknown, isLenient: boolean) => ReadMetadata;

/** A value that cannot be coerced. */
export class CoercionError extends Error {
  override readonly name = "CoercionError";
  readonly fieldError: field.FieldError;
  constructor(error: field.FieldError) {
    super(field.errorText(error));
    this.fieldError = error;
  }
}

export interface CoercionOptions {
  readonly read: MetadataReader;
  /** Drops malformed fields: for stored objects. */
  readonly isLenient: boolean;
  /** Collects paths of unknown metadata fields. */
  readonly unknown?: string[];
}

/** Coerces embedded resources. Throws a CoercionError. */
export function coerce(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResourceRoot: boolean,
  options: CoercionOptions,
  path?: field.FieldPath,
): unknown {
  return coerced(value, isResourceRoot ? asEmbedded(schema) : schema, options, path);
}

function coerced(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  options: CoercionOptions,
  path: field.FieldPath | undefined,
): unknown {
  if (schema === undefined) return value;
  if (isArray(value)) {
    const items = itemsOf(schema);
    const at = (i: number): field.FieldPath => (path === undefined ? new field.FieldPath(`[${i}]`) : path.index(i));
    return items === undefined ? value : mapItems(value, (item, i) => coerced(item, items, options, at(i)));
  }
  if (!isObject(value)) return value;
  const isResource = isEmbedded(schema);
  return mapFields(value, (given, key) => {
    let part = given;
    if (isResource && (key === "apiVersion" || key === "kind") && typeof part !== "string") {
      if (options.isLenient) return undefined;
      throw new CoercionError(field.invalid(field.childOf(path, key), part, "must be a string"));
    }
    if (isResource && key === "metadata") part = coercedMetadata(part, options, path);
    const property = propertyOf(schema, key);
    if (property !== undefined) return coerced(part, property, options, field.childOf(path, key));
    const values = valuesOf(schema);
    if (values === undefined) return part;
    return coerced(part, values, options, path === undefined ? new field.FieldPath(`[${key}]`) : path.key(key));
  });
}

function coercedMetadata(value: unknown, options: CoercionOptions, path: field.FieldPath | undefined): unknown {
  const at = field.childOf(path, "metadata");
  try {
    const { value: metadata, unknownFields } = options.read(value, options.isLenient);
    options.unknown?.push(...unknownFields.map((name) => `${at}.${name}`));
    return metadata;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (options.isLenient) return value;
    throw new CoercionError(field.invalid(at, value, error.message));
  }
}

/** Validates the resources embedded in a value. */
export function validateEmbedded(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResourceRoot: boolean,
  path?: field.FieldPath,
): field.FieldError[] {
  const errors: field.FieldError[] = [];
  check(errors, value, isResourceRoot ? asEmbedded(schema) : schema, path);
  return errors;
}

function check(
  errors: field.FieldError[],
  value: unknown,
  schema: JSONSchemaProps | undefined,
  path: field.FieldPath | undefined,
): void {
  if (schema === undefined) return;
  if (isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return;
    value.forEach((item, i) => {
      check(errors, item, items, path === undefined ? new field.FieldPath(`[${i}]`) : path.index(i));
    });
  }
  if (!isObject(value)) return;
  if (isEmbedded(schema)) checkResource(errors, value, path);
  for (const key of Object.keys(value)) {
    const property = propertyOf(schema, key);
    if (property !== undefined) check(errors, value[key], property, field.childOf(path, key));
    else
      check(errors, value[key], valuesOf(schema), path === undefined ? new field.FieldPath(`[${key}]`) : path.key(key));
  }
}

function checkResource(errors: field.FieldError[], value: JsonObject, path: field.FieldPath | undefined): void {
  const at = (name: string): field.FieldPath => field.childOf(path, name);
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(value, name)) errors.push(field.required(at(name), ""));
  }
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === "") errors.push(field.invalid(at("apiVersion"), apiVersion, "must not be empty"));
  else if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
    errors.push(field.invalid(at("apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (kind === "") errors.push(field.invalid(at("kind"), kind, "must not be empty"));
  else if (typeof kind === "string") {
    const messages = isDns1035Label(kind.toLowerCase());
    if (messages.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${messages.join(",")}`;
      errors.push(field.invalid(at("kind"), kind, detail));
    }
  }
  if (!isObject(metadata)) return;
  const meta = metadata as ObjectMeta;
  genericObjectMeta(
    errors,
    { ...meta, name: meta.name || "fakename" },
    !!meta.namespace,
    isPathSegmentName,
    at("metadata"),
  );
}
