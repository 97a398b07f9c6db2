// Encodes and decodes bodies. JSON is built in; the protobuf codec is passed in, because its tables are heavy and most
// programs never need them. Values from an in-process server pass through unchanged.

import { parseExactJson } from "#api/json.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { concat } from "#base/bytes.ts";
import type { HttpBody } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { DecodeError } from "#client/errors.ts";
import { type MediaType, parseMediaType } from "#client/headers.ts";

export const JSON_TYPE = "application/json";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

/** The part of the protobuf codec that the client needs: whole bodies, and the payload of one watch frame. */
export interface ProtobufCodec {
  /** Only built-in kinds have a protobuf form. */
  supports(gvk: GroupVersionKind): boolean;
  /** The object carries its kind. */
  encode(object: KubeObject): Uint8Array;
  decode(bytes: Uint8Array): unknown;
  /**
   * A lean event has no managedFields and may share parts with other events. It is meant for caches, which change
   * nothing.
   */
  decodeWatchEvent(frame: Uint8Array, isLean: boolean): unknown;
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

export function encodeText(value: string): Uint8Array {
  return utf8.encode(value);
}

export function decodeText(bytes: Uint8Array): string {
  return text.decode(bytes);
}

/** All bytes of a body. A body of decoded values has none. Throws a DecodeError as soon as there are too many. */
export async function readBytes(body: HttpBody, bytesMax: number = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const checkLength = (length: number): void => {
    if (length > bytesMax) throw new DecodeError(`the body has more than ${bytesMax} bytes`);
  };
  switch (body.kind) {
    case "bytes":
      checkLength(body.bytes.length);
      return body.bytes;
    case "stream": {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of body.chunks) {
        length += chunk.length;
        checkLength(length);
        chunks.push(chunk);
      }
      return concat(chunks);
    }
    case "object":
      return encodeText(stringifyJson(body.value));
    case "events":
      throw new DecodeError("a watch stream came where a whole body was asked for");
  }
}

/** Drops a body that is not needed. Short bodies are read to the end, so that the connection can be reused. */
export async function discardBody(body: HttpBody): Promise<void> {
  if (body.kind !== "stream") {
    if (body.kind === "events") await body.batches[Symbol.asyncIterator]().return?.();
    return;
  }
  let left = DISCARD_BYTES_MAX;
  for await (const chunk of body.chunks) {
    left -= chunk.length;
    if (left <= 0) break;
  }
}
const DISCARD_BYTES_MAX = 2048;

export function decodeJson(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch (cause) {
    throw new DecodeError(`the server sent malformed JSON: ${(cause as Error).message}`, { cause });
  }
}

export function isJson({ type }: MediaType): boolean {
  return type === JSON_TYPE || type === "" || type.endsWith("+json");
}

/** Decodes a whole body by its content type. */
export function decodeBytes(bytes: Uint8Array, contentType: string, protobuf: ProtobufCodec | undefined): unknown {
  const media = parseMediaType(contentType);
  if (isJson(media)) return decodeJson(decodeText(bytes));
  if (media.type === PROTOBUF_TYPE && protobuf) return protobuf.decode(bytes);
  throw new DecodeError(`serializer for ${contentType} doesn't exist`);
}
