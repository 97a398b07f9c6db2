// Writes DER, the encoding of certificates: as much of it as certificates use. Pure.

import { DER_BIT_STRING, DER_INTEGER, DER_OBJECT_IDENTIFIER, DER_OCTET_STRING, DER_SEQUENCE, DER_SET } from "./der.ts";

const DER_UTF8_STRING = 0x0c;
const DER_PRINTABLE_STRING = 0x13;
const DER_UTC_TIME = 0x17;
const DER_GENERALIZED_TIME = 0x18;
/** Lengths from here on have a length of their own. */
const LONG = 0x80;

export const DER_TRUE: Uint8Array = new Uint8Array([0x01, 0x01, 0xff]);
export const DER_NOTHING: Uint8Array = new Uint8Array([0x05, 0x00]);

export function derOf(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const head = [tag, ...lengthOctets(length)];
  const value = new Uint8Array(head.length + length);
  value.set(head);
  let at = head.length;
  for (const content of contents) {
    value.set(content, at);
    at += content.length;
  }
  return value;
}

function lengthOctets(length: number): readonly number[] {
  if (length < LONG) return [length];
  const octets = bigEndian(BigInt(length));
  return [LONG | octets.length, ...octets];
}

/** Without leading zeros; none for 0. */
function bigEndian(value: bigint): readonly number[] {
  const octets: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 8n) octets.unshift(Number(rest & 0xffn));
  return octets;
}

export const sequenceOf = (...values: readonly Uint8Array[]): Uint8Array => derOf(DER_SEQUENCE, ...values);

/** DER sorts the elements of a set by their encoding. */
export const setOf = (...values: readonly Uint8Array[]): Uint8Array => derOf(DER_SET, ...values.toSorted(compareBytes));

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const differsAt = a.findIndex((byte, at) => byte !== b[at]);
  return differsAt < 0 ? a.length - b.length : (a[differsAt] ?? 0) - (b[differsAt] ?? -1);
}

/** Of a number that is not negative. */
export function integerOf(value: bigint): Uint8Array {
  const octets = bigEndian(value);
  const isPositive = octets.length > 0 && (octets[0] ?? 0) < 0x80;
  return derOf(DER_INTEGER, new Uint8Array(isPositive ? octets : [0, ...octets]));
}

/** "2.5.4.3". */
export function identifierOf(text: string): Uint8Array {
  const [first = 0n, second = 0n, ...rest] = text.split(".").map(BigInt);
  const octets = [first * 40n + second, ...rest].flatMap((number) => {
    const sevens = [Number(number & 0x7fn)];
    for (let more = number >> 7n; more > 0n; more >>= 7n) sevens.unshift(Number(more & 0x7fn) | 0x80);
    return sevens;
  });
  return derOf(DER_OBJECT_IDENTIFIER, new Uint8Array(octets));
}

export const octetsOf = (content: Uint8Array): Uint8Array => derOf(DER_OCTET_STRING, content);

/** Of whole bytes. */
export const bitsOf = (content: Uint8Array): Uint8Array => derOf(DER_BIT_STRING, new Uint8Array([0]), content);

/** Of flags, bit 0 first; what follows the last one that is set is left out. */
export function flagsOf(flags: number): Uint8Array {
  const count = 32 - Math.clz32(flags);
  const octets = new Uint8Array(Math.ceil(count / 8));
  for (let bit = 0; bit < count; bit++) {
    if ((flags & (1 << bit)) !== 0) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  }
  return derOf(DER_BIT_STRING, new Uint8Array([octets.length * 8 - count]), octets);
}

export const utf8Of = (text: string): Uint8Array => derOf(DER_UTF8_STRING, new TextEncoder().encode(text));

export const printableOf = (text: string): Uint8Array => derOf(DER_PRINTABLE_STRING, new TextEncoder().encode(text));

/** In whole seconds; years from 1950 to 2049 have two digits. */
export function timeOf(timeMs: number): Uint8Array {
  const text = `${new Date(timeMs).toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  const year = Number(text.slice(0, 4));
  const isShort = year >= 1950 && year < 2050;
  const octets = new TextEncoder().encode(isShort ? text.slice(2) : text);
  return derOf(isShort ? DER_UTC_TIME : DER_GENERALIZED_TIME, octets);
}
