// Numbers as Go's strconv reads and prints them, with its errors, which operators see for a bad flag.

import { goQuote } from "#api/go-text.ts";

export class FlagValueError extends Error {
  override readonly name = "FlagValueError";
}

type Parser = "ParseInt" | "ParseUint" | "ParseFloat" | "ParseBool";

function fail(parser: Parser, text: string, problem: "invalid syntax" | "value out of range"): never {
  throw new FlagValueError(`strconv.${parser}: parsing ${goQuote(text)}: ${problem}`);
}

export function parseBool(text: string): boolean {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  return fail("ParseBool", text, "invalid syntax");
}

/** strconv.ParseInt with base 0: prefixes 0x, 0o, 0b and 0, and underscores between digits. */
export function parseInteger(text: string, bits: 32 | 64): number {
  const match = /^([+-]?)(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)$/.exec(text);
  if (match === null || /__|_$/.test(text)) return fail("ParseInt", text, "invalid syntax");
  const digits = (match[2] ?? "").replaceAll("_", "");
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = match[1] === "-" ? -magnitude : magnitude;
  const limit = 1n << BigInt(bits - 1);
  if (value >= limit || value < -limit) return fail("ParseInt", text, "value out of range");
  return Number(value);
}

/** strconv.ParseUint with base 10. */
export function parseUnsigned(text: string, bits: number): number {
  if (!/^[0-9]+$/.test(text)) return fail("ParseUint", text, "invalid syntax");
  if (BigInt(text) >= 1n << BigInt(bits)) return fail("ParseUint", text, "value out of range");
  return Number(text);
}

export function parseFloatValue(text: string, bits: 32 | 64): number {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return Number.NaN;
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return fail("ParseFloat", text, "invalid syntax");
  const value = bits === 32 ? Math.fround(Number(text)) : Number(text);
  if (!Number.isFinite(value)) return fail("ParseFloat", text, "value out of range");
  return value;
}

/** The shortest decimal that reads back as the same float, in Go's 'g' form. */
export function printFloat(value: number, bits: 32 | 64): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const digits = bits === 32 ? shortestFloat32(value) : String(value);
  const number = Number(digits);
  const exponent = number === 0 ? 0 : Math.floor(Math.log10(Math.abs(number)));
  if (exponent >= -4 && exponent < 21) return digits.includes("e") ? number.toFixed() : digits;
  const [mantissa = "", power = "0"] = number.toExponential().split("e");
  const sign = power.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${power.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** The float32 0.1 is 0.10000000149… as a double; print 0.1. */
function shortestFloat32(value: number): string {
  for (let precision = 1; precision <= 9; precision++) {
    const text = Number(value.toPrecision(precision));
    if (Math.fround(text) === Math.fround(value)) return String(text);
  }
  return String(value);
}
