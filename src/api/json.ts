// JSON text to values. JSON.parse does the work; what it would get wrong is refused here with a
// typed error: nesting that would overflow later recursion, and numbers that it would change.
//
// Numbers: an integer within int64 that a double cannot print back exactly (most of those beyond
// 2^53) is an error, never silently rounded. Beyond int64 upstream itself falls back to a double.
// A key "__proto__" becomes an own property, as JSON.parse does; copy such objects by spread only.

import { CodecError } from "#api/codec-error.ts";

/** Deviation: upstream allows 10000 levels; recursion here would not survive them. */
export const JSON_DEPTH_MAX = 1000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Sixteen digits can exceed 2^53, an exponent of three digits can exceed a double. */
const suspiciousNumber = /\d{16}|\d[eE]\+?\d{3}/;
const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new CodecError("json", "invalid UTF-8", { cause });
  }
}

export function parseJson(text: string): unknown {
  if (text.length > JSON_DEPTH_MAX) refuseDeepNesting(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CodecError("json", `invalid JSON: ${(cause as Error).message}`, { cause });
  }
  if (suspiciousNumber.test(text)) refuseInexactNumbers(text);
  return value;
}

export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(decodeUtf8(bytes));
}

/** Throws unless the number that this text denotes survives as a double, as far as upstream would keep it. */
export function requireExactNumber(token: string): number {
  const value = Number(token);
  if (!Number.isFinite(value)) throw new CodecError("json", `number ${token} is out of range`);
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(token)) return value;
  const exact = BigInt(token);
  if (exact <= INT64_MAX && exact >= INT64_MIN && String(value) !== token) {
    throw new CodecError("json", `integer ${token} is beyond 2^53 and cannot be kept exactly`);
  }
  return value;
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

function refuseInexactNumbers(text: string): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code >= 0x30 && code <= 0x39) {
      const start = text.charCodeAt(at - 1) === 0x2d ? at - 1 : at;
      numberToken.lastIndex = start;
      const token = numberToken.exec(text)?.[0] as string;
      requireExactNumber(token);
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
