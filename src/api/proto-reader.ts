// Reads protobuf's wire format from bytes that may be hostile: every read is checked against the end of its message,
// and no length is trusted.

import { CodecError } from "#api/codec-error.ts";
import type { Int64 } from "#api/int64.ts";
import { ShareableKind, type SharedValues } from "#api/shared-values.ts";
import { utf8Text } from "#api/utf8-text.ts";

/** Deeper nesting is an attack: the deepest legitimate object is a schema of some tens of levels. */
export const DEPTH_MAX = 400;

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

const anyString = new ShareableKind();

export class ProtoReader {
  readonly bytes: Uint8Array;
  /** The source of shared strings and messages; absent: every value is new. */
  readonly shared: SharedValues | undefined;
  /** The next byte to read. */
  at = 0;
  /** The end of the message being read. */
  end: number;
  #depth = 0;
  // The two halves of the varint read last, as signed 32-bit integers.
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array, shared?: SharedValues) {
    this.bytes = bytes;
    this.shared = shared;
    this.end = bytes.length;
  }

  fail(problem: string): never {
    throw new CodecError("protobuf", `protobuf: ${problem} at byte ${this.at}`);
  }

  failAt(problem: string, at: number): never {
    this.at = at;
    return this.fail(problem);
  }

  uint32At(at: number, end: number): number {
    this.at = at;
    this.end = end;
    return this.uint32();
  }

  /** An unsigned varint that must fit 32 bits: tags and lengths. */
  uint32(): number {
    const { bytes } = this;
    let byte = this.at < this.end ? (bytes[this.at++] as number) : this.fail("unexpected end");
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = this.at < this.end ? (bytes[this.at++] as number) : this.fail("unexpected end");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value <= 0xffffffff ? value : this.fail("integer overflow");
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
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
    const value = view.getFloat64(0, true);
    this.at += 8;
    return value;
  }

  /** The end of the length-delimited value at this position; reading continues after its length. */
  #delimited(): number {
    const length = this.uint32();
    if (length > this.end - this.at) this.fail("a length beyond the end");
    return this.at + length;
  }

  subarray(): Uint8Array {
    const end = this.#delimited();
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }

  string(): string {
    const end = this.#delimited();
    const text = this.stringAt(this.at, end);
    this.at = end;
    return text;
  }

  /** The string of these bytes, which must be UTF-8. */
  stringAt(start: number, end: number, kind: ShareableKind = anyString): string {
    const { bytes, shared } = this;
    try {
      return shared === undefined ? utf8Text(bytes, start, end) : shared.string(kind, bytes, start, end);
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
