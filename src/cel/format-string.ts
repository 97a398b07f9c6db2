// "%s has %d".format([...]). Upstream: github.com/google/cel-go/ext/formatting.go

import { goQuote } from "#api/go-text.ts";
import { toText } from "./conversions.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  itemsOf,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "./values.ts";

const PRECISION = 6;

export interface Clause {
  /** The text before it. */
  readonly text: string;
  /** Undefined at the end. */
  readonly verb: string | undefined;
  readonly precision: number;
}

/** Throws a CelError for an invalid pattern, or one that needs more than `count` arguments. */
export function* formatClauses(pattern: string, count: number): Generator<Clause> {
  let text = "";
  let used = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char !== "%") {
      text += char;
      continue;
    }
    if (i + 1 >= pattern.length) throw new CelError("unexpected end of string");
    if (pattern[i + 1] === "%") {
      text += "%";
      i++;
      continue;
    }
    if (used >= count) throw new CelError(`index ${used} out of range`);
    const match = /^(?:\.(\d*))?(.)/su.exec(pattern.slice(i + 1)) as RegExpExecArray;
    const verb = match[2] as string;
    if (!"sdfeboxX".includes(verb)) {
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause ${goQuote(verb)}`);
    }
    yield { text, verb, precision: match[1] === undefined || match[1] === "" ? PRECISION : Number(match[1]) };
    text = "";
    used++;
    i += match[0].length;
  }
  yield { text, verb: undefined, precision: 0 };
}

/** Throws a CelError. */
export function formatString(pattern: string, args: readonly Value[]): string {
  let output = "";
  let used = 0;
  for (const { text, verb, precision } of formatClauses(pattern, args.length)) {
    output += text;
    if (verb !== undefined) output += clause(verb, precision, args[used++] as Value);
  }
  return output;
}

function clause(verb: string, precision: number, value: Value): string {
  switch (verb) {
    case "s":
      return textOf(value);
    case "d":
      return decimal(value);
    case "f":
      return fixed(value, precision);
    case "e":
      return scientific(value, precision);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return wholeNumber(value, "only integers and bools can be formatted as binary").toString(2);
    case "o":
      return wholeNumber(value, "octal clause can only be used on integers").toString(8);
    case "x":
      return hex(value);
    default:
      return hex(value).toUpperCase();
  }
}

const given = (value: Value): string => `, was given ${typeName(value)}`;

function wholeNumber(value: Value, complaint: string): bigint {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  throw new CelError(`error during formatting: ${complaint}${given(value)}`);
}

const decimal = (value: Value): string => wholeNumber(value, "decimal clause can only be used on integers").toString();

function hex(value: Value): string {
  if (typeof value === "string" || value instanceof Uint8Array) {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return wholeNumber(value, "only integers, byte buffers, and strings can be formatted as hex").toString(16);
}

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function doubleOf(value: Value, name: string): number {
  if (typeof value === "number") return value;
  const special = typeof value === "string" ? SPECIAL[value] : undefined;
  if (special !== undefined) return special;
  throw new CelError(`error during formatting: ${name} clause can only be used on doubles${given(value)}`);
}

const notFinite = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞");

/** In the US locale: groups of three digits. */
function fixed(value: Value, precision: number): string {
  const number = doubleOf(value, "fixed-point");
  if (!Number.isFinite(number)) return notFinite(number);
  const [whole = "", fraction] = number.toFixed(Math.min(precision, 100)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function scientific(value: Value, precision: number): string {
  const number = doubleOf(value, "scientific");
  if (!Number.isFinite(number)) return notFinite(number);
  const [mantissa = "", exponent = ""] = number.toExponential(Math.min(precision, 100)).split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}×10${superscript(sign + exponent.replace(/[+-]/, "").padStart(2, "0"))}`;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

const superscript = (digits: string): string =>
  Array.from(digits, (char) => (char === "-" ? "⁻" : char === "+" ? "" : Array.from(SUPERSCRIPTS)[Number(char)])).join(
    "",
  );

function textOf(value: Value): string {
  if (value === null) return "null";
  if (value instanceof TypeValue) return value.type.name;
  if (isList(value)) return `[${[...itemsOf(value)].map(inside).join(", ")}]`;
  if (isMap(value)) {
    const entries = value.keys().map((key): [string, string] => [inside(key), inside(value.get(key) as Value)]);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${key}:${item}`).join(", ")}}`;
  }
  if (typeof value === "object" && !(value instanceof Uint) && !(value instanceof Uint8Array)) {
    if (!(value instanceof Timestamp) && !(value instanceof Duration)) {
      const kinds = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
      throw new CelError(`error during formatting: string clause can only be used on ${kinds}${given(value)}`);
    }
  }
  return toText(value);
}

/** As an element of a list or a map. */
function inside(value: Value): string {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(toText(value))}`;
  if (value instanceof Timestamp) return `timestamp(${goQuote(toText(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(toText(value))})`;
  if (typeof value === "number") return Number.isFinite(value) ? value.toFixed(PRECISION) : goQuote(toText(value));
  return textOf(value);
}
