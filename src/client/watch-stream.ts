// Watch bodies to batches of events. One pass over the chunks: each event is parsed once, and a
// batch is whatever one chunk completed. Memory is bounded by the largest event the API can send.

import type { WatchEvent } from "#api/object.ts";
import { type HttpBody, TransportError } from "#base/http.ts";
import { concat, decodeJson, decodeText, isJson, PROTOBUF_TYPE, type ProtobufCodec } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import { parseMediaType } from "#client/headers.ts";

export const EVENT_BYTES_MAX: number = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

export function watchEvents<T>(
  body: HttpBody,
  contentType: string,
  protobuf: ProtobufCodec | undefined,
): AsyncIterable<readonly WatchEvent<T>[]> {
  switch (body.kind) {
    case "events":
      return body.batches as AsyncIterable<readonly WatchEvent<T>[]>;
    case "stream":
      return decode(body.chunks, contentType, protobuf);
    case "bytes":
      return decode(once(body.bytes), contentType, protobuf);
    case "object":
      throw new DecodeError("a single object came where a watch stream was asked for");
  }
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function decode<T>(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  protobuf: ProtobufCodec | undefined,
): AsyncIterable<readonly WatchEvent<T>[]> {
  const media = parseMediaType(contentType);
  if (isJson(media)) return jsonEvents(chunks);
  if (media.type === PROTOBUF_TYPE && protobuf) return protobufEvents(chunks, protobuf);
  throw new DecodeError(`serializer for ${contentType} doesn't exist`);
}

function asEvent<T>(value: unknown): WatchEvent<T> {
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  if (typeof type !== "string" || typeof object !== "object" || object === null) {
    throw new DecodeError("unable to decode an event from the watch stream: no type or no object");
  }
  return value as WatchEvent<T>;
}

/**
 * JSON text holds no raw newline, so a newline byte always ends an event, and a segment that ends
 * there holds only whole UTF-8 sequences.
 */
async function* jsonEvents<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly WatchEvent<T>[]> {
  let pending: Uint8Array[] = [];
  let pendingSize = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      pending.push(chunk);
      pendingSize += chunk.length;
      assertWithinLimit(pendingSize);
      continue;
    }
    const head = chunk.subarray(0, end);
    const lines = decodeText(pending.length === 0 ? head : concat([...pending, head]));
    pending = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    pendingSize = chunk.length - end - 1;
    const events = parseLines<T>(lines);
    if (events.length > 0) yield events;
  }
  if (pendingSize > 0) throw new TransportError("reset", "unexpected EOF");
}

function parseLines<T>(lines: string): WatchEvent<T>[] {
  const events: WatchEvent<T>[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = lines.indexOf("\n", start);
    if (end < 0) end = lines.length;
    if (end > start) events.push(asEvent(decodeJson(lines.slice(start, end))));
    start = end + 1;
  }
  return events;
}

const LENGTH_BYTES = 4;

/** Each frame is a big-endian length and that many bytes. */
async function* protobufEvents<T>(
  chunks: AsyncIterable<Uint8Array>,
  codec: ProtobufCodec,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  let pending: Uint8Array[] = [];
  let pendingSize = 0;
  let wanted = LENGTH_BYTES;
  for await (const chunk of chunks) {
    pending.push(chunk);
    pendingSize += chunk.length;
    if (pendingSize < wanted) continue;
    const bytes = concat(pending);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const events: WatchEvent<T>[] = [];
    let offset = 0;
    wanted = LENGTH_BYTES;
    while (bytes.length - offset >= LENGTH_BYTES) {
      const length = view.getUint32(offset);
      assertWithinLimit(length);
      if (bytes.length - offset - LENGTH_BYTES < length) {
        wanted = LENGTH_BYTES + length;
        break;
      }
      offset += LENGTH_BYTES + length;
      events.push(asEvent(codec.decodeWatchEvent(bytes.subarray(offset - length, offset))));
    }
    pending = offset < bytes.length ? [bytes.subarray(offset)] : [];
    pendingSize = bytes.length - offset;
    if (events.length > 0) yield events;
  }
  if (pendingSize > 0) throw new TransportError("reset", "unexpected EOF");
}

function assertWithinLimit(size: number): void {
  if (size > EVENT_BYTES_MAX) throw new DecodeError(`a watch event is longer than ${EVENT_BYTES_MAX} bytes`);
}
