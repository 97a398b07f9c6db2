// Definitions read into their Go type throughout: where schemas stand beside lists or booleans, Go has
// decoders of its own, which look no further than they must.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/v1/marshal.go

import { goStruct } from "#api/go-layout.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { mapFields } from "#rules/crd/pruning.ts";
import { decodeTyped, type TypedDecoding, TypedDecodingError } from "../decoding/typed-decoding.ts";
import type { KindVersion } from "../registry.ts";

/** The version with all of its schemas decoded. */
export function withDecodedSchemas(version: KindVersion): KindVersion {
  return {
    ...version,
    decode(value, wording): TypedDecoding {
      const decoded = version.decode(value, wording);
      return { ...decoded, value: mapAt(decoded.value, ["spec", "versions", "schema", "openAPIV3Schema"], below) };
    },
  };
}

function mapAt(value: unknown, [name, ...rest]: readonly string[], map: (value: JsonObject) => unknown): JsonObject {
  if (isArray(value)) return value.map((item) => mapAt(item, [name as string, ...rest], map)) as unknown as JsonObject;
  if (!isObject(value)) return value as JsonObject;
  if (name === undefined) return map(value) as JsonObject;
  return mapFields(value, (field, key) => (key === name ? mapAt(field, rest, map) : field));
}

const SCHEMA_LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "definitions"]);

/** A schema whose own fields are decoded: what is below them. */
function below(schema: JsonObject): JsonObject {
  return mapFields(schema, (value, key) => {
    if (SCHEMA_LISTS.has(key) && isArray(value)) return value.map((item) => below(item as JsonObject));
    if (SCHEMA_MAPS.has(key) && isObject(value)) return mapFields(value, (item) => below(item as JsonObject));
    if (key === "not" && isObject(value)) return below(value);
    if (key === "items") return itemsOf(value);
    if (key === "additionalProperties" || key === "additionalItems") return schemaOrBool(value);
    if (key === "dependencies" && isObject(value)) return mapFields(value, schemaOrNames);
    return value;
  });
}

const schemaOf = (value: unknown): JsonObject =>
  below(decodeTyped(goStruct("apiextensions.v1", "JSONSchemaProps"), value).value);

/** Undefined leaves the field out. */
function itemsOf(value: unknown): unknown {
  if (isArray(value)) return value.map(schemaOf);
  return isObject(value) ? schemaOf(value) : undefined;
}

function schemaOrBool(value: unknown): unknown {
  if (value === null || typeof value === "boolean") return value ?? undefined;
  if (isObject(value)) return schemaOf(value);
  throw new TypedDecodingError("boolean or JSON schema expected");
}

function schemaOrNames(value: unknown): unknown {
  if (isObject(value)) return schemaOf(value);
  if (!isArray(value)) return {};
  if (value.every((name) => typeof name === "string")) return value;
  throw new TypedDecodingError("json: cannot unmarshal number into Go value of type string");
}
