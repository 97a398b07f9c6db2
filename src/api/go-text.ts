// How Go prints: %q, encoding/json and strconv's integer errors. Messages of the API embed these
// forms, so they are part of the wire contract.

import { goQuote } from "#base/go-text.ts";

export { goJson, goQuote } from "#base/go-text.ts";

const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** The length of a string as Go counts it: bytes of UTF-8. */
export function byteLength(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).length;
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export type ParsedInt = { readonly value: bigint } | { readonly error: string };

/** strconv.ParseInt(text, 10, 64), or strconv.Atoi with that name in the error. */
export function parseInt64(text: string, name: "ParseInt" | "Atoi" = "ParseInt"): ParsedInt {
  if (!/^[+-]?[0-9]+$/.test(text)) return { error: `strconv.${name}: parsing ${goQuote(text)}: invalid syntax` };
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value > INT64_MAX || value < INT64_MIN
    ? { error: `strconv.${name}: parsing ${goQuote(text)}: value out of range` }
    : { value };
}
