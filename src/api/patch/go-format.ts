// Go's formats of a JSON value in an error text: the %v, %#v, %s and %T verbs. Integers are int64 there, all other
// numbers float64, including integers beyond 2^53 that are not bigints.

import { goQuote } from "#api/go-text.ts";
import { isArray, isObject, type JsonObject } from "./json-value.ts";

/** %v */
export function goFormat(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (isArray(value)) return `[${value.map(goFormat).join(" ")}]`;
  if (isObject(value)) return `map[${sortedEntries(value, (key) => key, goFormat).join(" ")}]`;
  return typeof value === "number" ? goNumber(value) : String(value);
}

/** %#v */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isObject(value)) return `map[string]interface {}{${sortedEntries(value, goQuote, goSyntax).join(", ")}}`;
  if (typeof value === "string") return goQuote(value);
  return typeof value === "number" ? goNumber(value) : String(value);
}

/** %T, and %s of a reflect.Type. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

/** %s of something that may not be a string. */
export function goString(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (typeof value !== "string" && typeof value !== "object") return `%!s(${goType(value)}=${goFormat(value)})`;
  if (isArray(value)) return `[${value.map(goString).join(" ")}]`;
  if (isObject(value)) return `map[${sortedEntries(value, (key) => key, goString).join(" ")}]`;
  return value as string;
}

function goNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return Number.isSafeInteger(value) ? String(value) : goDouble(value);
}

/** %v and %g of a float64: an exponent below -4 and from 6 on. */
export function goDouble(value: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  if (Number(exponent) >= -4 && Number(exponent) < EXPONENT_MIN) return String(value);
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
const EXPONENT_MIN = 6;

function sortedEntries(object: JsonObject, key: (key: string) => string, value: (value: unknown) => string): string[] {
  return Object.keys(object)
    .sort()
    .map((name) => `${key(name)}:${value(object[name])}`);
}
