// Coerces a custom resource to its schema: drops unknown fields and nulls that are not allowed, and decodes the
// metadata as ObjectMeta.
// Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, unstructuredSchemaCoercer

import type { KubeObject } from "#api/object.ts";
import { isObject, jsonKind } from "#api/patch/json-value.ts";
import { type DecodingWording, type TypedDecoding, TypedDecodingError } from "#api/typed-decoding.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { pruneNulls } from "#kinds/apiextensions/defaulting.ts";
import { readMetadata } from "#kinds/apiextensions/metadata-reader.ts";
import { prune } from "#kinds/apiextensions/pruning.ts";
import { CoercionError, coerce } from "#kinds/apiextensions/resource-meta.ts";

/** Decodes an object from a client. Throws a TypedDecodingError. */
export function decodeCustom(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  wording?: DecodingWording,
): TypedDecoding {
  if (!isObject(value)) {
    throw new TypedDecodingError(
      `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  const unknownFields: string[] = [];
  let object = value;
  if (Object.hasOwn(object, "metadata")) {
    const { value: metadata, unknownFields: names } = readMetadata(object.metadata, false, wording);
    unknownFields.push(...names.map((name) => `metadata.${name}`));
    object = { ...object, metadata };
  }
  const pruned: string[] = [];
  object = pruneNulls(prune(object, schema, true, pruned), schema) as typeof object;
  const embedded: string[] = [];
  try {
    object = coerce(object, schema, false, {
      read: readMetadata,
      isLenient: false,
      unknown: embedded,
    }) as typeof object;
  } catch (error) {
    if (error instanceof CoercionError) throw new TypedDecodingError(error.message);
    throw error;
  }
  return { value: object, unknownFields: [...unknownFields, ...pruned.sort(), ...embedded.sort()] };
}

/** Coerces a stored object, perhaps written under another schema. The same object if nothing changes. */
export function coerceStored(object: KubeObject, schema: JSONSchemaProps | undefined): KubeObject {
  const pruned = pruneNulls(prune(object, schema, true), schema);
  return coerce(pruned, schema, false, { read: readMetadata, isLenient: true }) as KubeObject;
}
