// Go's output formats: %q, encoding/json and strconv's integer errors. API messages contain them, so they are part of
// the wire contract.

import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import { goQuote } from "#base/go-text.ts";

export { goJson, goQuote, goSortedJson } from "#base/go-text.ts";

const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** The length of a string in Go: bytes of UTF-8. */
export function byteLength(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).length;
}

const UINT64_MAX = 2n ** 64n - 1n;

/** With a range error Go returns the nearest int64, which some callers use. */
export type ParsedInt = { readonly value: bigint } | { readonly error: string; readonly nearest: bigint };

const INTEGER = /^([+-]?)0*([0-9]*)/;

/** strconv.ParseInt(text, 10, 64), or strconv.Atoi with that name in the error. */
export function parseInt64(text: string, name: "ParseInt" | "Atoi" = "ParseInt"): ParsedInt {
  const [prefix = "", sign = "", significant = ""] = INTEGER.exec(text) ?? [];
  const fail = (why: string, nearest: bigint): ParsedInt => ({
    error: `strconv.${name}: parsing ${goQuote(text)}: ${why}`,
    nearest,
  });
  const magnitude = significant.length > 20 ? UINT64_MAX + 1n : BigInt(significant);
  // Go reads from the left: it finds the overflow before an invalid digit.
  if (magnitude <= UINT64_MAX && (prefix !== text || prefix === sign)) return fail("invalid syntax", 0n);
  const value = sign === "-" ? -magnitude : magnitude;
  if (value > INT64_MAX) return fail("value out of range", INT64_MAX);
  return value < INT64_MIN ? fail("value out of range", INT64_MIN) : { value };
}
