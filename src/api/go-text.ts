// How Go prints: %q, encoding/json and strconv's integer errors. Messages of the API embed these
// forms, so they are part of the wire contract.

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const PLAIN = /^[ !#-[\]-~]*$/;
const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** Go's %q of a string. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text.toWellFormed()) out += escapeRune(char);
  return `${out}"`;
}

function escapeRune(char: string): string {
  if (char === '"' || char === "\\") return `\\${char}`;
  if (PRINTABLE.test(char)) return char;
  const named = NAMED_ESCAPES[char];
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Go's encoding/json of a value: as JSON.stringify, with the characters escaped that Go escapes for HTML. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

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
