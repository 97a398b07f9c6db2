// Encodes and decodes one object by content type: JSON and protobuf. YAML, which is only read, has a separate file
// (yaml.ts), because its parser is costly to load.

import { CodecError, type CodecFormat } from "#api/codec-error.ts";
import { parseJsonBytes } from "#api/json.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { stringifyJson } from "#base/json.ts";

export const JSON_MEDIA_TYPE = "application/json";
export const YAML_MEDIA_TYPE = "application/yaml";
export const PROTOBUF_MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

const utf8 = new TextEncoder();

/** The format of a Content-Type or Accept value, regardless of parameters. */
export function formatOfMediaType(contentType: string): CodecFormat | undefined {
  const [mediaType = ""] = contentType.split(";", 1);
  switch (mediaType.trim().toLowerCase()) {
    case JSON_MEDIA_TYPE:
      return "json";
    case YAML_MEDIA_TYPE:
      return "yaml";
    case PROTOBUF_MEDIA_TYPE:
      return "protobuf";
    default:
      return undefined;
  }
}

/** `expected`: the kind of a protobuf message whose envelope does not name it. */
export function decodeObject(bytes: Uint8Array, contentType: string, expected?: GroupVersionKind): KubeObject {
  switch (formatOfMediaType(contentType)) {
    case "json":
      return requireObject(parseJsonBytes(bytes));
    case "protobuf":
      return decodeProtobuf(bytes, expected);
    default:
      throw new CodecError("json", `no codec decodes ${contentType}`);
  }
}

export function encodeObject(object: KubeObject, contentType: string): Uint8Array {
  switch (formatOfMediaType(contentType)) {
    case "json":
      return utf8.encode(`${stringifyJson(object)}\n`);
    case "protobuf":
      return encodeProtobuf(object);
    default:
      throw new CodecError("json", `no codec encodes ${contentType}`);
  }
}

function requireObject(value: unknown): KubeObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new CodecError(
    "json",
    `an object was expected, not ${value === null ? "null" : Array.isArray(value) ? "a list" : typeof value}`,
  );
}
