// Watch streams in protobuf ("application/vnd.kubernetes.protobuf;stream=watch"): frames of a
// four-byte big-endian length and a metav1.WatchEvent, whose object is an enveloped message.
// Upstream: k8s.io/apimachinery/pkg/util/framer and apimachinery's streaming serializer

import { CodecError } from "#api/codec-error.ts";
import { parseJsonBytes } from "#api/json.ts";
import type { GroupVersionKind, KubeObject, WatchEvent, WatchEventType } from "#api/object.ts";
import { decodeEnveloped, encodeProtobuf, hasProtobufPrefix } from "#api/proto-codec.ts";
import { MessageDecoder } from "#api/proto-decode.ts";
import { BYTES, type ProtoReader, type Range } from "#api/proto-reader.ts";
import { tagOf, writeString } from "#api/proto-values.ts";
import { ProtoWriter } from "#api/proto-writer.ts";

/** Like upstream's streaming decoder: a longer frame is an error and is not allocated. */
export const FRAME_BYTES_MAX: number = 16 * 1024 * 1024;

const HEADER_BYTES = 4;
/** The tags of a WatchEvent, and of the RawExtension in it. */
const TYPE = tagOf(1, BYTES);
const OBJECT = tagOf(2, BYTES);
const RAW = tagOf(1, BYTES);
const eventTypes: ReadonlySet<string> = new Set<WatchEventType>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** Splits a stream of chunks into frames. */
export class FrameSplitter {
  #pending: Uint8Array = new Uint8Array();

  /** The frames that this chunk completes. They may share its memory. */
  push(chunk: Uint8Array): Uint8Array[] {
    const bytes = this.#pending.length === 0 ? chunk : concat(this.#pending, chunk);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const frames: Uint8Array[] = [];
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = view.getUint32(at);
      if (length > FRAME_BYTES_MAX)
        throw new CodecError("protobuf", "object to decode was longer than maximum allowed size");
      if (bytes.length - at - HEADER_BYTES < length) break;
      frames.push(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
    this.#pending = bytes.slice(at);
    return frames;
  }

  /** Call at the end of the stream: a frame cut in half is an error. */
  finish(): void {
    if (this.#pending.length > 0) throw new CodecError("protobuf", "unexpected end of the watch stream inside a frame");
  }
}

/** The content of one frame. Its object is decoded as by decodeProtobuf. */
export function decodeWatchEvent(
  frame: Uint8Array,
  expected?: GroupVersionKind,
  decoder: MessageDecoder = new MessageDecoder(),
): WatchEvent {
  const reader = decoder.readerOf(frame);
  let type = "";
  let raw: Range | undefined;
  while (reader.at < reader.end) {
    const tag = reader.bits32();
    if (tag === TYPE) type = reader.string();
    else if (tag === OBJECT) raw = rawExtension(reader);
    else reader.skip(tag & 7);
  }
  if (!eventTypes.has(type)) throw new CodecError("protobuf", `got invalid watch event type: ${type}`);
  if (raw === undefined) throw new CodecError("protobuf", "watch event without an object");
  const { start, end } = raw;
  const { bytes } = reader;
  if (!hasProtobufPrefix(bytes, start, end)) {
    return { type: type as WatchEventType, object: parseJsonBytes(bytes.subarray(start, end)) as KubeObject };
  }
  reader.at = start;
  reader.end = end;
  return { type: type as WatchEventType, object: decodeEnveloped(decoder, reader, expected) };
}

/** The positions of the content of a RawExtension. */
function rawExtension(reader: ProtoReader): Range | undefined {
  const outerEnd = reader.end;
  const end = reader.contentEnd(reader.at, outerEnd);
  let raw: Range | undefined;
  reader.end = end;
  while (reader.at < end) {
    const tag = reader.bits32();
    if (tag === RAW) raw = reader.range();
    else reader.skip(tag & 7);
  }
  reader.end = outerEnd;
  return raw;
}

/** A whole frame, its length included. */
export function encodeWatchEvent(event: WatchEvent): Uint8Array {
  const raw = encodeProtobuf(event.object);
  const writer = new ProtoWriter();
  writer.raw(raw);
  writer.varint(raw.length);
  writer.tag(1, BYTES);
  writer.varint(writer.length);
  writer.tag(2, BYTES);
  writeString(writer, 1, event.type);
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, writer.length);
  writer.raw(header);
  return writer.finish();
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
