// Shares strings and small messages that occur again and again in protobuf: the containers of one template, its
// tolerations, the names of labels. Bytes that were decoded before return the earlier value, so that a cache of ten
// thousand pods holds one copy, and most of a message is compared instead of decoded. Objects decoded in this way share
// their parts and must never be changed.
//
// Both tables are direct-mapped and of a fixed size. A slot keeps the bytes of its value for the comparison.

import { utf8Text } from "#api/utf8-text.ts";

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

const END_BYTES = 8;
const STRIDE = 4;
const MULTIPLIER = -1_640_531_535;

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
  readonly #messages: unknown[] = new Array(MESSAGE_SLOTS).fill(undefined);
  readonly #messageKinds = new Int32Array(MESSAGE_SLOTS);
  readonly #messageLengths = new Int32Array(MESSAGE_SLOTS);
  readonly #messageStarts = new Int32Array(MESSAGE_SLOTS);
  readonly #messageBytes = new Uint8Array(MESSAGE_BYTES);
  #messageEnd = 0;

  /** The string of these bytes in a field of this kind. */
  string(kind: ShareableKind, bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > STRING_BYTES_MAX || length === 0 || !kind.isWorthTrying()) return utf8Text(bytes, start, end);
    const slot = hashOf(bytes, start, end, length) & (STRING_SLOTS - 1);
    const at = slot * STRING_BYTES_MAX;
    if (this.#stringLengths[slot] === length && isSame(this.#stringBytes, at, bytes, start, end)) {
      kind.hits++;
      return this.#strings[slot] as string;
    }
    const text = utf8Text(bytes, start, end);
    for (let from = start, to = at; from < end; from++, to++) this.#stringBytes[to] = bytes[from] as number;
    this.#stringLengths[slot] = length;
    this.#strings[slot] = text;
    return text;
  }

  /**
   * The slot of the message of these bytes: call holds(), then take it or keep() it there. -1 for a message that is not
   * shared.
   */
  slotOf(kind: ShareableKind, bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > MESSAGE_BYTES_MAX || length === 0 || !kind.isWorthTrying()) return -1;
    return hashOf(bytes, start, end, kind.id) & (MESSAGE_SLOTS - 1);
  }

  holds(slot: number, kind: ShareableKind, bytes: Uint8Array, start: number, end: number): boolean {
    const isThere =
      this.#messageKinds[slot] === kind.id &&
      this.#messageLengths[slot] === end - start &&
      isSame(this.#messageBytes, this.#messageStarts[slot] as number, bytes, start, end);
    if (isThere) kind.hits++;
    return isThere;
  }

  at(slot: number): unknown {
    return this.#messages[slot];
  }

  keep(slot: number, kind: ShareableKind, bytes: Uint8Array, message: unknown): void {
    if (this.#messageEnd + bytes.length > MESSAGE_BYTES) {
      this.#messageEnd = 0;
      this.#messageLengths.fill(0);
      this.#messages.fill(undefined);
    }
    this.#messageBytes.set(bytes, this.#messageEnd);
    this.#messageStarts[slot] = this.#messageEnd;
    this.#messageEnd += bytes.length;
    this.#messageLengths[slot] = bytes.length;
    this.#messageKinds[slot] = kind.id;
    this.#messages[slot] = message;
  }
}

/**
 * Hashes the first bytes, the last ones, and every fourth in between: most bytes of a message are the same within its
 * kind.
 */
function hashOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = Math.imul(seed, MULTIPLIER) ^ (end - start);
  const ends = Math.min(END_BYTES, (end - start) >> 1);
  let at = start;
  for (const last = start + ends; at < last; at++) hash = Math.imul(hash ^ (bytes[at] as number), MULTIPLIER);
  for (const last = end - ends; at < last; at += STRIDE) hash = Math.imul(hash ^ (bytes[at] as number), MULTIPLIER);
  for (at = end - ends; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

function isSame(known: Uint8Array, from: number, bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start, other = from; at < end; at++, other++) if (known[other] !== bytes[at]) return false;
  return true;
}
