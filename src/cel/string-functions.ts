// Functions of strings. Characters are code points.
// Upstream: github.com/google/cel-go/ext/strings.go, common/types/string.go

import { equal } from "./equality.ts";
import type { CelFunction } from "./functions.ts";
import { ArrayList, CelError, isList, itemsOf, noOverload, type Value } from "./values.ts";

const text = (value: Value | undefined): string => (typeof value === "string" ? value : noOverload());
const chars = (value: Value | undefined): string[] => Array.from(text(value));
const int = (value: Value | undefined): number => (typeof value === "bigint" ? Number(value) : noOverload());
const outOfRange = (index: number): never => {
  throw new CelError(`index out of range: ${index}`);
};

function charAt(value: Value, index: Value): Value {
  const all = chars(value);
  const at = int(index);
  if (at < 0 || at > all.length) return outOfRange(at);
  return all[at] ?? "";
}

const startsAt = (all: readonly string[], part: readonly string[], at: number): boolean =>
  part.every((char, i) => all[at + i] === char);

function indexOf(value: Value, sought: Value, from: Value = 0n): Value {
  if (isList(value)) return BigInt([...itemsOf(value)].findIndex((item) => equal(item, sought)));
  const [all, part] = [chars(value), chars(sought)];
  const start = int(from);
  if (part.length === 0) return BigInt(start);
  if (start < 0) return outOfRange(start);
  if (start >= all.length) return -1n;
  for (let i = start; i <= all.length - part.length; i++) if (startsAt(all, part, i)) return BigInt(i);
  return -1n;
}

function lastIndexOf(value: Value, sought: Value, from?: Value): Value {
  if (isList(value)) return BigInt([...itemsOf(value)].findLastIndex((item) => equal(item, sought)));
  const [all, part] = [chars(value), chars(sought)];
  const start = from === undefined ? all.length : int(from);
  if (part.length === 0) return BigInt(start);
  if (from !== undefined && (start < 0 || start >= all.length)) return start < 0 ? outOfRange(start) : -1n;
  if (all.length < part.length) return -1n;
  for (let i = Math.min(start, all.length - part.length); i >= 0; i--) if (startsAt(all, part, i)) return BigInt(i);
  return -1n;
}

function replace(value: Value, old: Value, by: Value, limit: Value = -1n): Value {
  const max = int(limit);
  const [whole, from, to] = [text(value), text(old), text(by)];
  if (max < 0) return from === "" ? between(whole, to, Number.POSITIVE_INFINITY) : whole.replaceAll(from, () => to);
  if (from === "") return between(whole, to, max);
  const parts = whole.split(from);
  const count = Math.min(max, parts.length - 1);
  return (
    parts.slice(0, count + 1).join(to) +
    parts
      .slice(count + 1)
      .map((part) => from + part)
      .join("")
  );
}

/** Inserts a text before every character and at the end, at most `max` times. */
function between(whole: string, by: string, max: number): string {
  const all = Array.from(whole);
  return all.map((char, i) => (i < max ? by : "") + char).join("") + (all.length < max ? by : "");
}

function split(value: Value, separator: Value, limit: Value = -1n): Value {
  const max = int(limit);
  const [whole, by] = [text(value), text(separator)];
  if (max === 0) return new ArrayList([]);
  const parts = by === "" ? Array.from(whole) : whole.split(by);
  if (max < 0 || parts.length <= max) return new ArrayList(parts);
  return new ArrayList([...parts.slice(0, max - 1), parts.slice(max - 1).join(by)]);
}

function substring(value: Value, from: Value, to?: Value): Value {
  const all = chars(value);
  const start = int(from);
  if (to === undefined) return start < 0 || start > all.length ? outOfRange(start) : all.slice(start).join("");
  const end = int(to);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > all.length) return outOfRange(start);
  return end > all.length ? outOfRange(end) : all.slice(start, end).join("");
}

function join(list: Value, separator: Value = ""): Value {
  if (!isList(list)) return noOverload();
  const parts = [...itemsOf(list)].map((item) => {
    if (typeof item === "string") return item;
    throw new CelError(`join: invalid input: ${String(item)}`);
  });
  return parts.join(text(separator));
}

const QUOTED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const quote = (value: Value): Value =>
  `"${chars(text(value).toWellFormed())
    .map((char) => QUOTED[char] ?? char)
    .join("")}"`;

/** White space of Unicode, slightly more than JavaScript's. */
const SPACE = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const EDGES = new RegExp(`^${SPACE}+|${SPACE}+$`, "g");

export const STRINGS: Readonly<Record<string, CelFunction>> = {
  charAt: charAt as CelFunction,
  indexOf: indexOf as CelFunction,
  lastIndexOf: lastIndexOf as CelFunction,
  replace: replace as CelFunction,
  split: split as CelFunction,
  substring: substring as CelFunction,
  join: join as CelFunction,
  "strings.quote": quote as CelFunction,
  trim: (value) => text(value).replace(EDGES, ""),
  lowerAscii: (value) => text(value).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  upperAscii: (value) => text(value).replace(/[a-z]+/g, (part) => part.toUpperCase()),
  contains: (value, part) => text(value).includes(text(part)),
  startsWith: (value, part) => text(value).startsWith(text(part)),
  endsWith: (value, part) => text(value).endsWith(text(part)),
};
