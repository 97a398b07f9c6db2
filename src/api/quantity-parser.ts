// Parses quantities: "1.5Gi", "100m", "12e6". The valid texts, the texts that are kept, and the rounding and capping of
// values are upstream's.
// Upstream: k8s.io/apimachinery/pkg/api/resource/quantity.go, ParseQuantity

import { ValueError } from "#api/errors.ts";
import { parseInt64 } from "#api/go-text.ts";
import { INT64_MAX, type Int64 } from "#api/int64.ts";
import { divideAwayFromZero, NANO, pow10, Quantity, type QuantityFormat, quantityOf } from "#api/quantity.ts";
import { RecentMap } from "#base/recent-map.ts";

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = "unable to parse numeric part of quantity";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const PARTS = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const INT64_DIGITS = 18;
const DIGITS_MAX = 10_000;

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimal = (exponent: number): Suffix => ({ base: 10, exponent, format: "DecimalSI" });
const binary = (exponent: number): Suffix => ({ base: 2, exponent, format: "BinarySI" });

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map([
  ["n", decimal(-9)],
  ["u", decimal(-6)],
  ["m", decimal(-3)],
  ["", decimal(0)],
  ["k", decimal(3)],
  ["M", decimal(6)],
  ["G", decimal(9)],
  ["T", decimal(12)],
  ["P", decimal(15)],
  ["E", decimal(18)],
  ["Ki", binary(10)],
  ["Mi", binary(20)],
  ["Gi", binary(30)],
  ["Ti", binary(40)],
  ["Pi", binary(50)],
  ["Ei", binary(60)],
]);

function readSuffix(text: string): Suffix {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  if (text[0] === "e" || text[0] === "E") {
    const parsed = parseInt64(text.slice(1));
    if ("value" in parsed) {
      // Deviation: upstream keeps the low 32 bits of a larger exponent, which makes no sense.
      if (BigInt.asIntN(32, parsed.value) !== parsed.value) throw fail(WRONG_NUMBER);
      return { base: 10, exponent: Number(parsed.value), format: "DecimalExponent" };
    }
  }
  throw fail(WRONG_SUFFIX);
}

const SMALL_INTEGER = /^[1-9][0-9]{0,2}$/;

/** The same few quantities occur again and again, and never change. */
const known = new RecentMap<string, Quantity>(1024);
/** Longer texts are rare, and would use too much memory. */
const KNOWN_LENGTH_MAX = 32;

/** Throws a ValueError with upstream's text. */
export function parseQuantity(text: string): Quantity {
  const before = known.get(text);
  if (before !== undefined) return before;
  const quantity = readQuantity(text);
  if (text.length <= KNOWN_LENGTH_MAX) known.set(text, quantity);
  return quantity;
}

function readQuantity(text: string): Quantity {
  if (SMALL_INTEGER.test(text)) {
    return new Quantity({ unscaled: BigInt(text), scale: 0, isDecimal: false, format: "DecimalSI" }, text);
  }
  const match = text === "" ? null : PARTS.exec(text);
  if (match === null) throw fail(WRONG_FORMAT);
  const [, sign = "", significant = "", fraction = "", suffixText = ""] = match;
  const suffix = readSuffix(suffixText);
  const whole = significant === "" ? "0" : significant;
  const isNegative = sign === "-";
  const small = readSmall(whole, fraction, suffix);
  if (small === undefined) {
    if (!/[0-9]/.test(text.slice(0, text.length - suffixText.length))) throw fail(WRONG_NUMBER);
    // Deviation: this many digits are an attack, not an amount.
    if (whole.length + fraction.length > DIGITS_MAX) throw fail(WRONG_NUMBER);
    return readLarge(BigInt(whole + fraction) * (isNegative ? -1n : 1n), fraction.length, suffix);
  }
  const representation = {
    unscaled: isNegative ? -small.unscaled : small.unscaled,
    scale: small.scale,
    isDecimal: false,
    format: suffix.format,
  };
  return new Quantity(representation, small.isCanonical ? text : undefined);
}

interface SmallAmount {
  readonly unscaled: bigint;
  readonly scale: number;
  /** Upstream then prints the text as it was written, including sign and zeros. */
  readonly isCanonical: boolean;
}

/** The amount that upstream holds as a scaled int64; undefined if it uses arbitrary decimals. */
function readSmall(whole: string, fraction: string, suffix: Suffix): SmallAmount | undefined {
  if (suffix.base === 2) {
    // Ten powers of two take about three digits of the fifteen that are safe.
    const precision = 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    if (fraction !== "" || precision < 0) return undefined;
    const value = BigInt(whole);
    return { unscaled: value << BigInt(suffix.exponent), scale: 0, isCanonical: (value & 7n) !== 0n };
  }
  const scale = suffix.exponent - fraction.length;
  const shifted = whole + fraction;
  if (shifted.length > INT64_DIGITS || scale < NANO) return undefined;
  const isCanonical = scale % 3 === 0 && !shifted.endsWith("000") && shifted[0] !== "0";
  return { unscaled: BigInt(shifted), scale, isCanonical };
}

/** Rounds up to billionths, and caps amounts with a binary suffix at the largest int64. */
function readLarge(value: bigint, places: number, suffix: Suffix): Quantity {
  let unscaled = suffix.base === 2 ? value << BigInt(suffix.exponent) : value;
  let scale = suffix.base === 2 ? -places : suffix.exponent - places;
  let format = suffix.format;
  if (unscaled !== 0n) {
    unscaled = scale > NANO ? unscaled * pow10(scale - NANO) : divideAwayFromZero(unscaled, NANO - scale);
    scale = NANO;
  }
  if (format === "BinarySI" && unscaled !== 0n) {
    const one = pow10(-NANO);
    const magnitude = unscaled < 0n ? -unscaled : unscaled;
    if (magnitude > INT64_MAX * one) {
      unscaled = unscaled < 0n ? -INT64_MAX : INT64_MAX;
      scale = 0;
    } else if (magnitude < one) format = "DecimalSI";
  }
  return new Quantity({ unscaled, scale, isDecimal: true, format });
}

function fail(message: string): ValueError {
  return new ValueError("quantity", message);
}

/** A quantity in JSON: text, possibly with space around it, or a number. Null and undefined are zero. */
export function quantityFromWire(value: string | Int64 | null | undefined): Quantity {
  if (value === undefined || value === null) return quantityOf(0, "");
  return parseQuantity(typeof value === "string" ? value.trim() : String(value));
}
