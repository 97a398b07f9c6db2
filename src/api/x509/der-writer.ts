// Writes DER: as much of it as certificates use. Each function returns a value with its tag and length. Pure.

import { DER_BIT_STRING, DER_INTEGER, DER_OBJECT_IDENTIFIER, DER_SEQUENCE } from "./der.ts";

const CONTINUED = 0x80;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const UTC_TIME_YEAR_MAX = 2049;

export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, { length }) => sum + length, 0);
  const head = [tag, ...lengthBytes(length)];
  const value = new Uint8Array(head.length + length);
  value.set(head);
  let at = head.length;
  for (const content of contents) {
    value.set(content, at);
    at += content.length;
  }
  return value;
}

export const derSequence = (...parts: readonly Uint8Array[]): Uint8Array => der(DER_SEQUENCE, ...parts);

const utf8 = new TextEncoder();

export const derText = (tag: number, text: string): Uint8Array => der(tag, utf8.encode(text));

/** Of "2.5.4.3". */
export function derIdentifier(identifier: string): Uint8Array {
  const [root = 0, second = 0, ...rest] = identifier.split(".").map(Number);
  return der(DER_OBJECT_IDENTIFIER, Uint8Array.from([40 * root + second, ...rest].flatMap(base128)));
}

/** Of a number that is not negative. */
export function derNumber(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0n || bytes.length === 0; rest >>= 8n) bytes.unshift(Number(rest & 0xffn));
  if ((bytes[0] ?? 0) >= CONTINUED) bytes.unshift(0);
  return der(DER_INTEGER, Uint8Array.from(bytes));
}

export const derBytesAsBits = (bytes: Uint8Array): Uint8Array => der(DER_BIT_STRING, Uint8Array.of(0), bytes);

/** Of flags whose bit 0 comes first; zeros at the end are left out, as DER wants it of named bits. */
export function derFlags(flags: number): Uint8Array {
  const count = 32 - Math.clz32(flags);
  const bytes = new Uint8Array(Math.ceil(count / 8));
  for (let bit = 0; bit < count; bit++) {
    if ((flags >> bit) & 1) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (CONTINUED >> (bit & 7));
  }
  return der(DER_BIT_STRING, Uint8Array.of(bytes.length * 8 - count), bytes);
}

/** In whole seconds; years from 2050 on take four digits, as RFC 5280 wants it. */
export function derTime(timeMs: number): Uint8Array {
  const text = new Date(Math.floor(timeMs / 1000) * 1000).toISOString().replace(/[-:T]|\.000/g, "");
  return Number(text.slice(0, 4)) > UTC_TIME_YEAR_MAX
    ? derText(GENERALIZED_TIME, text)
    : derText(UTC_TIME, text.slice(2));
}

function lengthBytes(length: number): readonly number[] {
  if (length < CONTINUED) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [CONTINUED | bytes.length, ...bytes];
}

function base128(number: number): readonly number[] {
  const bytes = [number & 0x7f];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(CONTINUED | (rest & 0x7f));
  }
  return bytes;
}
