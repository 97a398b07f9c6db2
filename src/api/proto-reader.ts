// Reads protobuf's wire format from bytes that may be hostile: every read is checked against the end of its message,
// and no length is trusted.

import { CodecError } from "#api/codec-error.ts";
import type { Int64 } from "#api/int64.ts";
import { asciiText, utf8Text } from "#api/utf8-text.ts";

/** Deeper nesting is an attack: the deepest legitimate object is a schema of some tens of levels. */
export const DEPTH_MAX = 400;

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

const WORD_BYTES = 4;
const WORD_HIGH_BITS = 0x80808080 | 0;

export interface Range {
  readonly start: number;
  readonly end: number;
}

export class ProtoReader {
  readonly bytes: Uint8Array;
  /** Reads four bytes at once. */
  readonly view: DataView;
  /** The next byte to read. */
  at = 0;
  /** The end of the message being read. */
  end: number;
  #depth = 0;
  // The two halves of the varint read last, as signed 32-bit integers.
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  /** Begins to read a message of this length that is now at the start of the bytes. */
  restart(length: number): void {
    this.at = 0;
    this.end = length;
    this.#depth = 0;
  }

  fail(problem: string): never {
    throw new CodecError("protobuf", `protobuf: ${problem} at byte ${this.at}`);
  }

  failAt(problem: string, at: number): never {
    this.at = at;
    return this.fail(problem);
  }

  bits32At(at: number, end: number): number {
    this.at = at;
    this.end = end;
    return this.bits32();
  }

  contentStart(at: number, end: number): number {
    this.bits32At(at, end);
    return this.at;
  }

  /** The end of the content whose length is at this position; `at` is then its start. */
  contentEnd(at: number, end: number): number {
    this.at = at;
    this.end = end;
    return this.#delimited();
  }

  /** The 32 bits of a tag or length, as a signed integer: with doubles, positions would become doubles too. */
  bits32(): number {
    const { bytes } = this;
    let bits = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.at < this.end ? (bytes[this.at++] as number) : this.fail("unexpected end");
      bits |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 28 || byte < 0x10 ? bits : this.fail("integer overflow");
    }
    return this.fail("integer overflow");
  }

  /** Negative numbers are ten bytes long: all 64 bits are read, the low 32 kept. */
  int32(): number {
    this.#varint64();
    return this.#low;
  }

  bool(): boolean {
    this.#varint64();
    return (this.#low | this.#high) !== 0;
  }

  int64(): Int64 {
    this.#varint64();
    const value = this.#high * 2 ** 32 + (this.#low >>> 0);
    return Number.isSafeInteger(value) ? value : (BigInt(this.#high) << 32n) | BigInt(this.#low >>> 0);
  }

  #varint64(): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.at < this.end ? (bytes[this.at++] as number) : this.fail("unexpected end");
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    this.fail("integer overflow");
  }

  float64(): number {
    if (this.end - this.at < 8) this.fail("unexpected end");
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** The end of the length-delimited value at this position; reading continues after its length. */
  #delimited(): number {
    const length = this.bits32();
    if (length < 0 || length > this.end - this.at) this.fail("a length beyond the end");
    return this.at + length;
  }

  subarray(): Uint8Array {
    const { start, end } = this.range();
    return this.bytes.subarray(start, end);
  }

  /** The positions of a value, which is skipped. */
  range(): Range {
    const end = this.#delimited();
    const start = this.at;
    this.at = end;
    return { start, end };
  }

  string(): string {
    const end = this.#delimited();
    const text = this.stringAt(this.at, end);
    this.at = end;
    return text;
  }

  /** The string of these bytes, which must be UTF-8. ASCII, the usual case, needs no decoder. */
  stringAt(start: number, end: number): string {
    const { bytes, view } = this;
    let high = 0;
    let at = start;
    for (const last = end - WORD_BYTES; at <= last; at += WORD_BYTES) high |= view.getInt32(at, true);
    high &= WORD_HIGH_BITS;
    for (; at < end; at++) high |= (bytes[at] as number) & 0x80;
    return high === 0 ? asciiText(bytes, start, end) : this.#utf8At(start, end);
  }

  #utf8At(start: number, end: number): string {
    try {
      return utf8Text(this.bytes, start, end);
    } catch {
      return this.failAt("invalid UTF-8", start);
    }
  }

  /** Reads an embedded message: `read` sees its end as the end of everything. */
  message<T>(read: (reader: ProtoReader) => T): T {
    const end = this.#delimited();
    return this.within(this.at, end, read);
  }

  /** Reads the bytes between two positions. */
  within<T>(start: number, end: number, read: (reader: ProtoReader) => T): T {
    const outerEnd = this.end;
    this.at = start;
    this.end = end;
    if (++this.#depth > DEPTH_MAX) this.fail("nesting too deep");
    const value = read(this);
    this.#depth--;
    this.at = end;
    this.end = outerEnd;
    return value;
  }

  /** The end of the field's value at this position. */
  skipAt(wireType: number, at: number, end: number): number {
    this.at = at;
    this.end = end;
    this.skip(wireType);
    return this.at;
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    switch (wireType) {
      case VARINT:
        this.#varint64();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case BYTES:
        this.at = this.#delimited();
        return;
      case FIXED32:
        this.#advance(4);
        return;
      default:
        this.fail(`illegal wire type ${wireType}`);
    }
  }

  #advance(count: number): void {
    if (this.end - this.at < count) this.fail("unexpected end");
    this.at += count;
  }
}
