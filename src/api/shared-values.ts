// Shares strings and small messages that occur again and again in protobuf: the containers of one template, its
// tolerations, the names of labels. Bytes that were decoded before return the earlier value, so that a cache of ten
// thousand pods holds one copy, and most of a message is compared instead of decoded. Objects decoded in this way share
// their parts and must never be changed.
//
// Both tables are direct-mapped and of a fixed size. A slot keeps the bytes of its value for the comparison. Bytes are
// hashed and compared four at a time.

import type { ProtoReader } from "#api/proto-reader.ts";

const STRING_SLOTS = 8192;
const STRING_BYTES_MAX = 64;
const MESSAGE_SLOTS = 4096;
const MESSAGE_BYTES_MAX = 512;
/** The total bytes of the cached messages. When it is full, the cache starts again. */
const MESSAGE_BYTES = 512 * 1024;

/** The number of lookups after which the hit rate is checked. */
const TRIES = 128;
const HITS_MIN = 24;
/** How many lookups of a kind with a low hit rate are skipped. */
const PAUSE = 4096;

const WORD_BYTES = 4;
const MULTIPLIER = -1_640_531_535;
const MIDDLE_MULTIPLIER = 668_265_261;
const LAST_MULTIPLIER = -2_048_144_789;

/** A kind of message or string, by its field, with its hit counts. */
export class ShareableKind {
  static #kinds = 0;
  readonly id: number = ++ShareableKind.#kinds;
  tries = 0;
  hits = 0;

  isWorthTrying(): boolean {
    if (++this.tries <= 0) return false;
    if (this.tries > TRIES) {
      this.tries = this.hits < HITS_MIN ? -PAUSE : 0;
      this.hits = 0;
    }
    return true;
  }
}

export class SharedValues {
  readonly #strings: string[] = new Array(STRING_SLOTS).fill("");
  readonly #stringLengths = new Uint8Array(STRING_SLOTS);
  readonly #stringBytes = new Uint8Array(STRING_SLOTS * STRING_BYTES_MAX);
  readonly #stringView = new DataView(this.#stringBytes.buffer);
  readonly #messages: unknown[] = new Array(MESSAGE_SLOTS).fill(undefined);
  readonly #messageKinds = new Int32Array(MESSAGE_SLOTS);
  readonly #messageLengths = new Int32Array(MESSAGE_SLOTS);
  readonly #messageStarts = new Int32Array(MESSAGE_SLOTS);
  readonly #messageBytes = new Uint8Array(MESSAGE_BYTES);
  readonly #messageView = new DataView(this.#messageBytes.buffer);
  #messageEnd = 0;

  /** The string of these bytes in a field of this kind. */
  string(kind: ShareableKind, reader: ProtoReader, start: number, end: number): string {
    const length = end - start;
    if (length > STRING_BYTES_MAX || length < WORD_BYTES || !kind.isWorthTrying()) return reader.stringAt(start, end);
    const slot = stringHash(reader.view, start, end) & (STRING_SLOTS - 1);
    const at = slot * STRING_BYTES_MAX;
    if (this.#stringLengths[slot] === length && isSame(this.#stringView, at, reader.view, start, end)) {
      kind.hits++;
      return this.#strings[slot] as string;
    }
    const text = reader.stringAt(start, end);
    const { bytes } = reader;
    for (let from = start, to = at; from < end; from++, to++) this.#stringBytes[to] = bytes[from] as number;
    this.#stringLengths[slot] = length;
    this.#strings[slot] = text;
    return text;
  }

  /**
   * The slot of the message of these bytes: call holds(), then take it or keep() it there. -1 for a message that is not
   * shared.
   */
  slotOf(kind: ShareableKind, reader: ProtoReader, start: number, end: number): number {
    const length = end - start;
    if (length > MESSAGE_BYTES_MAX || length < WORD_BYTES || !kind.isWorthTrying()) return -1;
    return hashOf(reader, start, end, kind.id) & (MESSAGE_SLOTS - 1);
  }

  holds(slot: number, kind: ShareableKind, reader: ProtoReader, start: number, end: number): boolean {
    const isThere =
      this.#messageKinds[slot] === kind.id &&
      this.#messageLengths[slot] === end - start &&
      isSame(this.#messageView, this.#messageStarts[slot] as number, reader.view, start, end);
    if (isThere) kind.hits++;
    return isThere;
  }

  at(slot: number): unknown {
    return this.#messages[slot];
  }

  keep(slot: number, kind: ShareableKind, { bytes }: ProtoReader, start: number, end: number, message: unknown): void {
    const length = end - start;
    if (this.#messageEnd + length > MESSAGE_BYTES) {
      this.#messageEnd = 0;
      this.#messageLengths.fill(0);
      this.#messages.fill(undefined);
    }
    let to = this.#messageEnd;
    this.#messageStarts[slot] = to;
    for (let from = start; from < end; from++, to++) this.#messageBytes[to] = bytes[from] as number;
    this.#messageEnd = to;
    this.#messageLengths[slot] = length;
    this.#messageKinds[slot] = kind.id;
    this.#messages[slot] = message;
  }
}

/** Of the first word, the last and one between them: strings differ in one of these. */
function stringHash(view: DataView, start: number, end: number): number {
  const last = end - WORD_BYTES;
  const first = view.getInt32(start, true) ^ (end - start);
  const middle = view.getInt32((start + last) >> 1, true);
  const hash =
    Math.imul(first, MULTIPLIER) ^
    Math.imul(middle, MIDDLE_MULTIPLIER) ^
    Math.imul(view.getInt32(last, true), LAST_MULTIPLIER);
  return hash ^ (hash >>> 15);
}

/** Of at least four bytes. The last word may overlap with the one before. */
function hashOf({ view }: ProtoReader, start: number, end: number, seed: number): number {
  let hash = Math.imul(seed, MULTIPLIER) ^ (end - start);
  const last = end - WORD_BYTES;
  for (let at = start; at < last; at += WORD_BYTES) {
    hash = Math.imul(hash ^ view.getInt32(at, true), MULTIPLIER);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ view.getInt32(last, true), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

/** For at least four bytes. */
function isSame(known: DataView, from: number, view: DataView, start: number, end: number): boolean {
  const last = end - WORD_BYTES;
  for (let at = start, other = from; at < last; at += WORD_BYTES, other += WORD_BYTES) {
    if (known.getInt32(other, true) !== view.getInt32(at, true)) return false;
  }
  return known.getInt32(from + last - start, true) === view.getInt32(last, true);
}
