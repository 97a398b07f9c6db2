// Parses JSON text. JSON.parse does the work; this file adds what JSON.parse does wrong: nesting that would overflow
// later recursion and numbers beyond a double are refused with a typed error, and integers stay exact.
//
// Numbers: an int64 beyond 2^53 is a bigint (int64.ts). Upstream reads an integer beyond int64 as a double if no type
// is known, and refuses it, with its text, if one is. As with JSON.parse, a key "__proto__" becomes an own property;
// copy such objects only by spread.

import { CodecError } from "#api/codec-error.ts";
import { type Int64, int64Of } from "#api/int64.ts";

/** Deviation: upstream allows 10000 levels, which would overflow the recursion here. */
export const JSON_DEPTH_MAX = 1000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Sixteen digits can exceed 2^53. Spelled out, because both engines then skip ahead instead of trying each character. */
const sixteenDigits = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;
/** Digests and texts also have long runs of digits, which rarely look like a whole number. */
const longInteger = /(?:^|[[\s:,])-?(?:\d{17,}|9\d{15})(?:$|[\]\s},])/;
/** An exponent of three digits can exceed a double; so can hundreds of digits. */
const largeNumber = /\d[eE]\+?\d{3}|\d{300}/;
const integer = /^-?\d+$/;
const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The form of an integer beyond int64. */
export type BeyondInt64 = "double" | "bigint";

/** TypeScript's library does not know the third parameter yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const revivers: Readonly<Record<BeyondInt64, Reviver>> = {
  double: (_key, value, { source = "" }) => (isInexact(value) && integer.test(source) ? exactInteger(source) : value),
  bigint: (_key, value, { source = "" }) => (isInexact(value) && integer.test(source) ? BigInt(source) : value),
};

const isInexact = (value: unknown): boolean => typeof value === "number" && !Number.isSafeInteger(value);

const INT64_LENGTH_MAX = 20;

/** An integer in upstream's untyped form: int64, or a double beyond it. */
function exactInteger(token: string): Int64 {
  return token.length > INT64_LENGTH_MAX ? Number(token) : (int64Of(BigInt(token)) ?? Number(token));
}

/** Like JSON.parse, with exact integers: for texts from a trusted server. Throws a SyntaxError. */
export function parseExactJson(text: string, beyondInt64: BeyondInt64 = "double"): unknown {
  if (!sixteenDigits.test(text) || !longInteger.test(text)) return JSON.parse(text);
  return JSON.parse(text, revivers[beyondInt64] as (key: string, value: unknown) => unknown);
}

/** A JSON value as if it had been decoded without a type: bigints in the form of int64.ts, doubles beyond int64. */
export function untyped(value: unknown): unknown {
  if (typeof value === "bigint") return int64Of(value) ?? Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(untyped);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, given] of Object.entries(value)) {
    const read = untyped(given);
    if (read === given) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: read, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CodecError("json", "invalid UTF-8", { cause });
  }
}

/** For texts from any source. Throws a CodecError. */
export function parseJson(text: string, beyondInt64?: BeyondInt64): unknown {
  if (text.length > JSON_DEPTH_MAX) refuseDeepNesting(text);
  // First, because a bigint of a million digits takes minutes.
  if (largeNumber.test(text)) refuseInfiniteNumbers(text);
  try {
    return parseExactJson(text, beyondInt64);
  } catch (cause) {
    throw new CodecError("json", `invalid JSON: ${(cause as Error).message}`, { cause });
  }
}

export function parseJsonBytes(bytes: Uint8Array, beyondInt64?: BeyondInt64): unknown {
  return parseJson(decodeUtf8(bytes), beyondInt64);
}

function refuseDeepNesting(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > JSON_DEPTH_MAX) throw new CodecError("json", "exceeded max depth");
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function refuseInfiniteNumbers(text: string): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code >= 0x30 && code <= 0x39) {
      const start = text.charCodeAt(at - 1) === 0x2d ? at - 1 : at;
      numberToken.lastIndex = start;
      const token = numberToken.exec(text)?.[0] as string;
      if (!Number.isFinite(Number(token))) throw new CodecError("json", `number ${token} is out of range`);
      at = start + token.length - 1;
    }
  }
}

/** The closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
