// Reads the body of a request within the limit, and parses it by content type.

import { CodecError } from "#api/codec-error.ts";
import { type BeyondInt64, decodeUtf8, parseJson, untyped } from "#api/json.ts";
import type { GroupVersionKind } from "#api/object.ts";
import { decodeProtobuf } from "#api/proto-codec.ts";
import { newRequestEntityTooLarge, newUnsupportedMediaType } from "#api/status-error.ts";
import { decodeYaml } from "#api/yaml.ts";
import { concat } from "#base/bytes.ts";
import { bareMediaType } from "../media-type.ts";
import { ACCEPTED_TYPES, MEDIA_TYPES } from "../representation.ts";
import { headerOf, type ServerRequest } from "../request-context.ts";
import { GoJsonError, readGoJson } from "./go-json.ts";

export type RequestBody =
  /** From a client in this process: decoded and frozen. */
  { readonly kind: "object"; readonly value: unknown } | { readonly kind: "bytes"; readonly bytes: Uint8Array };

const NO_BYTES = new Uint8Array(0);

/** Throws a 413 as soon as the limit is exceeded. */
export async function readBody(request: ServerRequest, bytesMax: number): Promise<RequestBody> {
  const { body } = request;
  if (body === undefined) return { kind: "bytes", bytes: NO_BYTES };
  switch (body.kind) {
    case "object":
      return body;
    case "bytes":
      if (body.bytes.length > bytesMax) throw newRequestEntityTooLarge(`limit is ${bytesMax}`);
      return body;
    case "stream":
      return { kind: "bytes", bytes: await collect(body.chunks, bytesMax) };
    case "events":
      throw newUnsupportedMediaType(ACCEPTED_TYPES);
  }
}

export async function collect(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks) {
    length += part.length;
    if (length > bytesMax) throw newRequestEntityTooLarge(`limit is ${bytesMax}`);
    parts.push(part);
  }
  return concat(parts);
}

export function isEmptyBody(body: RequestBody): boolean {
  return body.kind === "bytes" && body.bytes.length === 0;
}

export interface ParsedBody {
  readonly value: unknown;
  /** The original JSON. */
  readonly text?: string;
  /** Strict errors of the original YAML. */
  readonly yamlErrors?: readonly string[];
}

export type BodyEncoding = "json" | "yaml" | "protobuf";

/** Throws a 415. The default is JSON. */
export function bodyEncoding(request: ServerRequest, allowsProtobuf: boolean): BodyEncoding {
  const header = headerOf(request, "content-type");
  const type = header === "" ? MEDIA_TYPES.json : bareMediaType(header);
  if (type === MEDIA_TYPES.json) return "json";
  if (type === MEDIA_TYPES.yaml) return "yaml";
  if (type === MEDIA_TYPES.protobuf && allowsProtobuf) return "protobuf";
  throw newUnsupportedMediaType(ACCEPTED_TYPES);
}

/** Throws a CodecError or a GoJsonError; the client sees their messages. */
export function parseBody(
  body: RequestBody,
  encoding: BodyEncoding,
  expected: GroupVersionKind,
  beyondInt64: BeyondInt64,
): ParsedBody {
  if (body.kind === "object") return { value: directValue(body.value, beyondInt64) };
  if (encoding === "protobuf") return { value: decodeProtobuf(body.bytes, expected) };
  const text = decodeUtf8(body.bytes);
  return encoding === "yaml" ? parseYamlText(text, beyondInt64) : { value: parseJsonText(text, beyondInt64), text };
}

/** Clients in this process may pass any integer as a bigint. Typed decoding handles that itself. */
export function directValue(value: unknown, beyondInt64: BeyondInt64): unknown {
  return beyondInt64 === "double" ? untyped(value) : value;
}

export function parseYamlText(text: string, beyondInt64: BeyondInt64): ParsedBody {
  const { value, duplicates } = decodeYaml(text, beyondInt64);
  return { value, yamlErrors: duplicates };
}

/** Integers beyond int64 are bigints for typed decoding, whose error quotes the number's text. */
export function parseJsonText(text: string, beyondInt64: BeyondInt64): unknown {
  try {
    return parseJson(text, beyondInt64);
  } catch (error) {
    if (error instanceof CodecError) readGoJson(text);
    throw error;
  }
}

/** The error message for a body that cannot be parsed. */
export function parseErrorText(error: unknown): string | undefined {
  return error instanceof CodecError || error instanceof GoJsonError ? error.message : undefined;
}
