// Decodes definitions into their Go type. For fields that hold either a schema or a list or boolean, Go has custom
// decoders, which check no more than they need.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/v1/marshal.go

import { goStruct } from "#api/go-layout.ts";
import { untyped } from "#api/json.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { decodeTyped, type TypedDecoding, TypedDecodingError } from "#api/typed-decoding.ts";
import { mapFields } from "./pruning.ts";

/** Decodes all schemas of the definition. */
export function withDecodedSchemas(decoded: TypedDecoding): TypedDecoding {
  return {
    ...decoded,
    value: mapAt(decoded.value, ["spec", "versions", "schema", "openAPIV3Schema"], (schema) => below(schema, ROOT)),
  };
}

function mapAt(value: unknown, [name, ...rest]: readonly string[], map: (value: JsonObject) => unknown): JsonObject {
  if (isArray(value)) return value.map((item) => mapAt(item, [name as string, ...rest], map)) as unknown as JsonObject;
  if (!isObject(value)) return value as JsonObject;
  if (name === undefined) return map(value) as JsonObject;
  return mapFields(value, (field, key) => (key === name ? mapAt(field, rest, map) : field));
}

/** Go's name for the root in messages. */
const ROOT = "spec.versions.schema.openAPIV3Schema";
/** Fields with JSON that upstream reads without a type. */
const UNTYPED: ReadonlySet<string> = new Set(["default", "enum", "example"]);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "definitions"]);

/** Decodes the fields that Go's custom decoders read, in a schema that is otherwise decoded. */
function below(schema: JsonObject, path: string): JsonObject {
  return mapFields(schema, (value, key) => {
    const at = `${path}.${key}`;
    if (SCHEMA_LISTS.has(key) && isArray(value)) return value.map((item) => below(item as JsonObject, at));
    if (SCHEMA_MAPS.has(key) && isObject(value)) return mapFields(value, (item) => below(item as JsonObject, at));
    if (UNTYPED.has(key)) return untyped(value);
    if (key === "not" && isObject(value)) return below(value, at);
    if (key === "items") return itemsOf(value, at);
    if (key === "additionalProperties" || key === "additionalItems") return schemaOrBool(value, at);
    if (key === "dependencies" && isObject(value)) return mapFields(value, (item) => schemaOrNames(item, at));
    return value;
  });
}

function schemaOf(value: unknown, path: string): JsonObject {
  try {
    return below(decodeTyped(goStruct("apiextensions.v1", "JSONSchemaProps"), value).value, path);
  } catch (error) {
    // Only the innermost schema adds its path.
    if (!(error instanceof TypedDecodingError) || error.message.includes(ROOT)) throw error;
    throw new TypedDecodingError(error.message.replace(/Go struct field (\w+)\./, `Go struct field $1.${path}.`));
  }
}

/** Undefined: the field is left out. */
function itemsOf(value: unknown, path: string): unknown {
  if (isArray(value)) return value.map((item) => schemaOf(item, path));
  return isObject(value) ? schemaOf(value, path) : undefined;
}

function schemaOrBool(value: unknown, path: string): unknown {
  if (value === null || typeof value === "boolean") return value ?? undefined;
  if (isObject(value)) return schemaOf(value, path);
  throw new TypedDecodingError("boolean or JSON schema expected");
}

function schemaOrNames(value: unknown, path: string): unknown {
  if (isObject(value)) return schemaOf(value, path);
  if (!isArray(value)) return {};
  if (value.every((name) => typeof name === "string")) return value;
  throw new TypedDecodingError("json: cannot unmarshal number into Go value of type string");
}
