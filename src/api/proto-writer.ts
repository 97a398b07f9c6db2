// Writes protobuf's wire format from the last byte to the first, like upstream: the length of a message is known once
// its content is written, so nothing is measured or copied twice.

import type { Int64 } from "#api/int64.ts";

const FIRST_BYTES = 1024;

const utf8 = new TextEncoder();

export class ProtoWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  /** The first byte written; everything after it is content. */
  #at = FIRST_BYTES;

  /** The count of bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#at);
  }

  #reserve(count: number): void {
    if (this.#at >= count) return;
    const { length } = this;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, length + count));
    grown.set(this.#bytes.subarray(this.#at), grown.length - length);
    this.#bytes = grown;
    this.#at = grown.length - length;
  }

  raw(content: Uint8Array): void {
    this.#reserve(content.length);
    this.#at -= content.length;
    this.#bytes.set(content, this.#at);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** An unsigned integer of at most 53 bits. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[--this.#at] = value;
      return;
    }
    let count = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count++;
    this.#reserve(count);
    this.#at -= count;
    let at = this.#at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  /** A signed integer of type int32 or int64; negative ones take ten bytes. */
  int64(value: Int64): void {
    if (typeof value === "number" && value >= 0) {
      this.varint(value);
      return;
    }
    const bits = BigInt.asUintN(64, BigInt(value));
    let count = 1;
    for (let rest = bits >> 7n; rest > 0n; rest >>= 7n) count++;
    this.#reserve(count);
    this.#at -= count;
    const last = this.#at + count - 1;
    for (let at = this.#at, rest = bits; at <= last; at++, rest >>= 7n) {
      this.#bytes[at] = Number(rest & 0x7fn) | (at < last ? 0x80 : 0);
    }
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
  }

  /** The text without its length. */
  text(value: string): void {
    const { length } = value;
    this.#reserve(length);
    const start = this.#at - length;
    const bytes = this.#bytes;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) {
        this.raw(utf8.encode(value));
        return;
      }
      bytes[start + index] = code;
    }
    this.#at = start;
  }
}
