// Watch streams in protobuf ("application/vnd.kubernetes.protobuf;stream=watch"): frames of a
// four-byte big-endian length and a metav1.WatchEvent, whose object is an enveloped message.
// Upstream: k8s.io/apimachinery/pkg/util/framer and apimachinery's streaming serializer

import { CodecError } from "#api/codec-error.ts";
import { parseJsonBytes } from "#api/json.ts";
import type { GroupVersionKind, KubeObject, WatchEvent, WatchEventType } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf, hasProtobufPrefix } from "#api/proto-codec.ts";
import { BYTES, ProtoReader } from "#api/proto-reader.ts";
import { eachField, tagOf, writeString } from "#api/proto-values.ts";
import { ProtoWriter } from "#api/proto-writer.ts";
import type { SharedValues } from "#api/shared-values.ts";

/** Like upstream's streaming decoder: a longer frame is an error and is not allocated. */
export const FRAME_BYTES_MAX: number = 16 * 1024 * 1024;

const HEADER_BYTES = 4;
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

/** The content of one frame. With `shared` its object is shared as by decodeProtobuf. */
export function decodeWatchEvent(frame: Uint8Array, expected?: GroupVersionKind, shared?: SharedValues): WatchEvent {
  const reader = new ProtoReader(frame);
  let type = "";
  let raw: Uint8Array | undefined;
  eachField(reader, (tag) => {
    if (tag === tagOf(1, BYTES)) type = reader.string();
    else if (tag === tagOf(2, BYTES)) raw = reader.message(readRaw);
    else return false;
    return true;
  });
  if (!eventTypes.has(type)) throw new CodecError("protobuf", `got invalid watch event type: ${type}`);
  if (raw === undefined) throw new CodecError("protobuf", "watch event without an object");
  const object = hasProtobufPrefix(raw) ? decodeProtobuf(raw, expected, shared) : (parseJsonBytes(raw) as KubeObject);
  return { type: type as WatchEventType, object };
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

function readRaw(reader: ProtoReader): Uint8Array | undefined {
  let raw: Uint8Array | undefined;
  eachField(reader, (tag) => {
    if (tag !== tagOf(1, BYTES)) return false;
    raw = reader.subarray();
    return true;
  });
  return raw;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
