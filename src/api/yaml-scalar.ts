// The meaning of an unquoted YAML scalar in go-yaml v2.
// Upstream: go.yaml.in/yaml/v2/resolve.go, resolve

import { INT64_MIN, type Int64, int64Of } from "#api/int64.ts";
import type { BeyondInt64 } from "#api/json.ts";

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...variants(["y", "yes", "true", "on"], true),
  ...variants(["n", "no", "false", "off"], false),
  ...variants(["", "~", "null"], null),
  ...[".nan", ".NaN", ".NAN"].map((text): [string, unknown] => [text, Number.NaN]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((text): [string, unknown] => [text, Infinity]),
  ...["-.inf", "-.Inf", "-.INF"].map((text): [string, unknown] => [text, -Infinity]),
]);

/** A word in lower case, capitalised and in capitals. */
function variants(texts: readonly string[], value: unknown): [string, unknown][] {
  return texts
    .flatMap((text) => [text, text.charAt(0).toUpperCase() + text.slice(1), text.toUpperCase()])
    .map((text) => [text, value]);
}

const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]|$)/;
const integer = /^([+-]?)(0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9]\d*)$/;
const float = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;
/** More than 64 binary digits: arithmetic on a million digits takes minutes. */
const DIGITS_MAX = 80;
const UINT64_MAX = 2n ** 64n - 1n;

export function resolvePlainScalar(text: string, beyondInt64: BeyondInt64 = "double"): unknown {
  if (words.has(text)) return words.get(text);
  const first = text.charAt(0);
  if (first === ".") return floatOf(text) ?? text;
  if (!/[\d+-]/.test(first) || timestamp.test(text)) return text;
  const plain = text.replaceAll("_", "");
  return integerOf(plain, beyondInt64) ?? floatOf(plain) ?? text;
}

/** A number beyond a double stays text. */
function floatOf(text: string): number | undefined {
  const value = float.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function integerOf(text: string, beyondInt64: BeyondInt64): Int64 | undefined {
  const match = integer.exec(text);
  if (match === null) return undefined;
  const [, sign = "", digits = ""] = match;
  if (digits.length > DIGITS_MAX) return undefined;
  const magnitude = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === "-" ? -magnitude : magnitude;
  if (value > UINT64_MAX || value < INT64_MIN) return undefined;
  return int64Of(value) ?? (beyondInt64 === "bigint" ? value : Number(value));
}
