// Decodes the metadata of custom resources into ObjectMeta, as for all other kinds.

import { goStruct } from "#api/go-layout.ts";
import { isObject, type JsonObject } from "#api/patch/json-value.ts";
import { type DecodingWording, decodeTyped, TypedDecodingError } from "#api/typed-decoding.ts";
import type { ReadMetadata } from "./resource-meta.ts";

/** Throws a TypedDecodingError for malformed fields, unless `isLenient` drops them. */
export function readMetadata(value: unknown, isLenient: boolean, wording?: DecodingWording): ReadMetadata {
  const type = goStruct("meta.v1", "ObjectMeta");
  try {
    return withoutEmptyTime(decodeTyped(type, value, wording));
  } catch (error) {
    if (!(error instanceof TypedDecodingError) || !isLenient || !isObject(value)) throw error;
  }
  const fields = Object.entries(value as JsonObject).filter(([name, field]) => {
    try {
      decodeTyped(type, { [name]: field });
      return true;
    } catch (error) {
      if (error instanceof TypedDecodingError) return false;
      throw error;
    }
  });
  return withoutEmptyTime(decodeTyped(type, Object.fromEntries(fields)));
}

function withoutEmptyTime({ value, unknownFields }: ReadMetadata): ReadMetadata {
  if (value.creationTimestamp !== null) return { value, unknownFields };
  const { creationTimestamp: _empty, ...rest } = value;
  return { value: rest, unknownFields };
}
