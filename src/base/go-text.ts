// Go's output formats: %q and encoding/json. Log lines and API messages contain them.

import { stringifyJson } from "./json.ts";

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
  return code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, "0")}` : escapeCode(code);
}

function escapeCode(code: number): string {
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Go's encoding/json of a value: like stringifyJson, with the characters escaped that Go escapes for HTML. */
export function goJson(value: unknown): string {
  const text = stringifyJson(value) ?? "null";
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Go's encoding/json of a map: like goJson, with the keys of every level sorted. */
export function goSortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goSortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return goJson(value);
  // A sorted object would not do: keys that look like integers always come first in an object.
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${goJson(key)}:${goSortedJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Go's %+q of bytes: ASCII only. Bytes that are not UTF-8 are shown one by one. */
export function goQuoteBytes(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return `"${Array.from(bytes, (byte) => (byte < 0x80 ? escapeRune(String.fromCharCode(byte)) : `\\x${byte.toString(16)}`)).join("")}"`;
  }
  let out = '"';
  for (const char of text) out += char < "\x80" ? escapeRune(char) : escapeCode(char.codePointAt(0) as number);
  return `${out}"`;
}
