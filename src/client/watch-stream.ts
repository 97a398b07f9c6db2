// Splits watch bodies into batches of events in one pass over the chunks. Each event is parsed once, and a batch holds
// the events that one chunk completed. Memory is bounded by the largest event the API can send. An idle stream keeps no
// earlier chunk or event in memory.

import { parseExactJson } from "#api/json.ts";
import type { WatchEvent } from "#api/object.ts";
import { concat } from "#base/bytes.ts";
import { type HttpBody, TransportError } from "#base/http.ts";
import { decodeJson, decodeText, isJson, PROTOBUF_TYPE, type ProtobufCodec } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import { parseMediaType } from "#client/headers.ts";
import { leaveOutManagedFields } from "#client/leave-out-managed-fields.ts";

export const EVENT_BYTES_MAX: number = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const LENGTH_BYTES = 4;

type Batches<T> = AsyncIterable<readonly WatchEvent<T>[]>;

/** Takes chunks, returns the events that they complete, and keeps the rest. */
interface Splitter<T> {
  push(chunk: Uint8Array): readonly WatchEvent<T>[];
  /** Bytes of an event that is not complete yet. */
  readonly pendingSize: number;
}

export interface WatchDecoding {
  readonly contentType: string;
  readonly protobuf: ProtobufCodec | undefined;
  readonly leavesOutManagedFields: boolean;
}

export function watchEvents<T>(body: HttpBody, decoding: WatchDecoding): AsyncIterable<readonly WatchEvent<T>[]> {
  switch (body.kind) {
    case "events":
      return body.batches as Batches<T>;
    case "stream":
      return split(body.chunks, splitterFor(decoding));
    case "bytes":
      return split(once(body.bytes), splitterFor(decoding));
    case "object":
      throw new DecodeError("a single object came where a watch stream was asked for");
  }
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function splitterFor<T>({ contentType, protobuf, leavesOutManagedFields }: WatchDecoding): Splitter<T> {
  const media = parseMediaType(contentType);
  if (isJson(media)) return new LineSplitter(leavesOutManagedFields ? decodeLeanEvent : decodeJson);
  if (media.type === PROTOBUF_TYPE && protobuf) return new FrameSplitter(protobuf, leavesOutManagedFields);
  throw new DecodeError(`serializer for ${contentType} doesn't exist`);
}

/** Not a generator: its frame would keep the last chunk and its events alive for as long as the stream is idle. */
function split<T>(chunks: AsyncIterable<Uint8Array>, splitter: Splitter<T>): Batches<T> {
  return {
    [Symbol.asyncIterator]() {
      const source = chunks[Symbol.asyncIterator]();
      const close = async (): Promise<IteratorResult<readonly WatchEvent<T>[]>> => {
        await source.return?.();
        return { done: true, value: undefined };
      };
      return {
        async next() {
          for (;;) {
            const events = await nextBatch(source, splitter);
            if (events === undefined) return { done: true, value: undefined };
            if (events.length > 0) return { done: false, value: events };
          }
        },
        return: close,
      };
    },
  };
}

/** The events that the next chunk completed, or undefined at the end. A stream that fails to decode is closed. */
async function nextBatch<T>(
  source: AsyncIterator<Uint8Array>,
  splitter: Splitter<T>,
): Promise<readonly WatchEvent<T>[] | undefined> {
  const { done, value } = await source.next();
  if (done) {
    if (splitter.pendingSize > 0) throw new TransportError("reset", "unexpected EOF");
    return undefined;
  }
  try {
    return splitter.push(value);
  } catch (error) {
    await source.return?.();
    throw error;
  }
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
class LineSplitter<T> implements Splitter<T> {
  readonly #decode: (line: string) => unknown;
  #pending: Uint8Array[] = [];
  pendingSize = 0;

  constructor(decode: (line: string) => unknown) {
    this.#decode = decode;
  }

  push(chunk: Uint8Array): readonly WatchEvent<T>[] {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#pending.push(chunk);
      this.pendingSize += chunk.length;
      assertWithinLimit(this.pendingSize);
      return [];
    }
    const head = chunk.subarray(0, end);
    const lines = decodeText(this.#pending.length === 0 ? head : concat([...this.#pending, head]));
    this.pendingSize = chunk.length - end - 1;
    this.#pending = this.pendingSize > 0 ? [chunk.slice(end + 1)] : [];
    return parseLines(lines, this.#decode);
  }
}

function parseLines<T>(lines: string, decode: (line: string) => unknown): WatchEvent<T>[] {
  const events: WatchEvent<T>[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = lines.indexOf("\n", start);
    if (end < 0) end = lines.length;
    if (end > start) events.push(asEvent(decode(lines.slice(start, end))));
    start = end + 1;
  }
  return events;
}

interface LeanEvent {
  readonly object?: { readonly metadata?: { managedFields?: unknown } };
}

function decodeLeanEvent(line: string): unknown {
  const lean = leaveOutManagedFields(line);
  if (lean === undefined) return decodeJson(line);
  try {
    const event = parseExactJson(lean) as LeanEvent;
    const metadata = event.object?.metadata;
    if (metadata?.managedFields !== null) return decodeJson(line);
    metadata.managedFields = undefined;
    return event;
  } catch {
    // The text was cut in the wrong place or is malformed: parsing the whole line decides.
    return decodeJson(line);
  }
}

/** Each frame is a big-endian length and that many bytes. */
class FrameSplitter<T> implements Splitter<T> {
  readonly #codec: ProtobufCodec;
  readonly #isLean: boolean;
  #pending: Uint8Array[] = [];
  #wanted = LENGTH_BYTES;
  pendingSize = 0;

  constructor(codec: ProtobufCodec, isLean: boolean) {
    this.#codec = codec;
    this.#isLean = isLean;
  }

  push(chunk: Uint8Array): readonly WatchEvent<T>[] {
    this.#pending.push(chunk);
    this.pendingSize += chunk.length;
    if (this.pendingSize < this.#wanted) return [];
    const bytes = concat(this.#pending);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const events: WatchEvent<T>[] = [];
    let offset = 0;
    this.#wanted = LENGTH_BYTES;
    while (bytes.length - offset >= LENGTH_BYTES) {
      const length = view.getUint32(offset);
      assertWithinLimit(length);
      if (bytes.length - offset - LENGTH_BYTES < length) {
        this.#wanted = LENGTH_BYTES + length;
        break;
      }
      offset += LENGTH_BYTES + length;
      events.push(asEvent(this.#codec.decodeWatchEvent(bytes.subarray(offset - length, offset), this.#isLean)));
    }
    this.pendingSize = bytes.length - offset;
    this.#pending = this.pendingSize > 0 ? [bytes.slice(offset)] : [];
    return events;
  }
}

function assertWithinLimit(size: number): void {
  if (size > EVENT_BYTES_MAX) throw new DecodeError(`a watch event is longer than ${EVENT_BYTES_MAX} bytes`);
}
