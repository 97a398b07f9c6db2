// Quantities: exact decimal numbers with a remembered suffix family. Immutable; arithmetic returns
// new values. Text is read in quantity-parser.ts.
// Upstream: k8s.io/apimachinery/pkg/api/resource
//
// Upstream keeps small amounts as a scaled int64 and the rest as an arbitrary decimal, and a few
// results (rounding of negatives, overflow) depend on which; isDecimal remembers that.

import { ValueError } from "#api/errors.ts";
import { INT64_MAX, INT64_MIN } from "#api/int64.ts";

/** "" is the format of upstream's zero value: it takes the format of the first value that is added. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent" | "";

/** A power of ten: 10^scale. */
export type Scale = number;
export const NANO: Scale = -9;
export const MILLI: Scale = -3;

const fitsInt64 = (value: bigint): boolean => value <= INT64_MAX && value >= INT64_MIN;

const DECIMAL_SUFFIXES: ReadonlyMap<number, string> = new Map([
  [-9, "n"],
  [-6, "u"],
  [-3, "m"],
  [0, ""],
  [3, "k"],
  [6, "M"],
  [9, "G"],
  [12, "T"],
  [15, "P"],
  [18, "E"],
]);
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

// "1e1000000000" is legal and cheap, but must not be written out as digits.
const SCALE_SPAN_MAX = 10_000;

/** Two quantities cannot be added: their sum would have too many digits. Deviation: upstream writes them out. */
export class QuantitiesTooFarApart extends ValueError {
  constructor() {
    super("quantity", `quantities differ by more than ${SCALE_SPAN_MAX} decimal places`);
  }
}

/** 10^exponent; refuses exponents that would exhaust memory. */
export function pow10(exponent: number): bigint {
  if (exponent > SCALE_SPAN_MAX) throw new QuantitiesTooFarApart();
  return 10n ** BigInt(exponent);
}

export interface Representation {
  /** value = unscaled * 10^scale. */
  readonly unscaled: bigint;
  readonly scale: Scale;
  readonly isDecimal: boolean;
  readonly format: QuantityFormat;
}

export class Quantity {
  readonly #unscaled: bigint;
  readonly #scale: Scale;
  readonly #isDecimal: boolean;
  readonly format: QuantityFormat;
  readonly #given: string | undefined;
  #printed: string | undefined;

  /** Prefer parseQuantity and the from… functions. A given text is printed unchanged. */
  constructor(representation: Representation, text?: string) {
    this.#unscaled = representation.unscaled;
    this.#scale = representation.scale;
    this.#isDecimal = representation.isDecimal;
    this.format = representation.format;
    this.#given = text;
    this.#printed = text;
  }

  /** The content of upstream's struct, for the hashes that dump it. `text`: the original text, if kept. */
  representation(): Representation & { readonly text: string | undefined } {
    const { format } = this;
    return { unscaled: this.#unscaled, scale: this.#scale, isDecimal: this.#isDecimal, format, text: this.#given };
  }

  get isZero(): boolean {
    return this.#unscaled === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return compare(this.#unscaled, 0n);
  }

  cmp(other: Quantity): -1 | 0 | 1 {
    if (this.#scale === other.#scale) return compare(this.#unscaled, other.#unscaled);
    if (this.sign !== other.sign || this.isZero) return compare(BigInt(this.sign), BigInt(other.sign));
    // If both are far apart, the number of digits decides without writing them out.
    const magnitude = digits(this.#unscaled) + this.#scale - digits(other.#unscaled) - other.#scale;
    if (Math.abs(magnitude) > 1) return compare(BigInt(magnitude * this.sign), 0n);
    const scale = Math.min(this.#scale, other.#scale);
    return compare(this.#at(scale), other.#at(scale));
  }

  equals(other: Quantity): boolean {
    return this.cmp(other) === 0;
  }

  /** Zero takes the other's format. */
  add(other: Quantity): Quantity {
    const format = this.isZero ? other.format : this.format;
    if (!this.#isDecimal && !other.#isDecimal) {
      if (other.isZero) return this.#with({ format });
      if (this.isZero) return this.#with({ format, unscaled: other.#unscaled, scale: other.#scale });
    }
    const scale = Math.min(this.#scale, other.#scale);
    const [a, b] = [this.#at(scale), other.#at(scale)];
    const unscaled = a + b;
    const isDecimal = this.#isDecimal || other.#isDecimal || ![a, b, unscaled].every(fitsInt64);
    return this.#with({ unscaled, scale, isDecimal, format });
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return this.#with({ unscaled: -this.#unscaled });
  }

  mul(factor: bigint | number): Quantity {
    const by = BigInt(factor);
    if (!this.#isDecimal && this.isZero) return this;
    if (!this.#isDecimal && by === 0n) return this.#with({ unscaled: 0n, scale: 0 });
    const unscaled = this.#unscaled * by;
    const isDecimal = this.#isDecimal || !fitsInt64(unscaled) || !fitsWhenWritten(unscaled, this.#scale);
    return this.#with({ unscaled, isDecimal });
  }

  /** Rounded away from zero to a multiple of 10^scale. */
  roundUp(scale: Scale): Quantity {
    if (!this.#isDecimal && this.#scale >= scale) return this;
    if (this.#scale >= scale) return this.#with({ unscaled: this.#at(scale), scale });
    return this.#with({ unscaled: divideAwayFromZero(this.#unscaled, scale - this.#scale), scale });
  }

  /** The integer at or above the value; beyond 2^53 it is not exact: see scaledInt64. */
  value(): number {
    return Number(this.scaledInt64(0));
  }

  /** The thousandths, rounded up. */
  milliValue(): number {
    return Number(this.scaledInt64(MILLI));
  }

  /** ceil(value / 10^scale) as upstream computes it: wraps, or is zero, on overflow. */
  scaledInt64(scale: Scale): bigint {
    return this.#isDecimal
      ? scaledDecimal(this.#unscaled, this.#scale - scale)
      : scaledInt64Amount(this.#unscaled, this.#scale - scale);
  }

  /** The value when it is an integer that upstream holds as an int64. */
  asInt64(): bigint | undefined {
    if (this.#isDecimal || this.#scale < 0) return undefined;
    if (this.isZero) return 0n;
    if (this.#scale > 18) return undefined;
    const value = this.#at(0);
    return fitsInt64(value) ? value : undefined;
  }

  asApproximateFloat(): number {
    const base = Number(this.#unscaled);
    return this.#scale === 0 ? base : base * goPow10(this.#scale);
  }

  /** The canonical form, or the original text where upstream keeps it. */
  toString(): string {
    this.#printed ??= this.#canonical();
    return this.#printed;
  }

  toJSON(): string {
    return this.toString();
  }

  #canonical(): string {
    if (this.isZero) return "0";
    if (this.format === "BinarySI") {
      const isSmall = this.cmp(LOWER_1024) > 0 && this.cmp(UPPER_1024) < 0;
      const whole = isSmall ? undefined : this.#whole();
      if (whole !== undefined) return binaryText(whole);
    }
    return this.#decimalText(this.format === "BinarySI" ? "DecimalSI" : this.format);
  }

  #decimalText(format: QuantityFormat): string {
    let unscaled = this.#unscaled;
    let exponent = this.#scale;
    while (unscaled % 10n === 0n) {
      unscaled /= 10n;
      exponent++;
    }
    while (exponent % 3 !== 0) {
      unscaled *= 10n;
      exponent--;
    }
    if (format === "DecimalSI") return `${unscaled}${DECIMAL_SUFFIXES.get(exponent) ?? ""}`;
    return exponent === 0 ? `${unscaled}` : `${unscaled}e${exponent}`;
  }

  /** The value as an integer, if it is one. */
  #whole(): bigint | undefined {
    if (this.#scale >= 0) return this.#at(0);
    const divisor = pow10(-this.#scale);
    return this.#unscaled % divisor === 0n ? this.#unscaled / divisor : undefined;
  }

  /** The unscaled value at a scale at least as fine as its own. */
  #at(scale: Scale): bigint {
    if (scale === this.#scale || this.isZero) return this.#unscaled;
    return this.#unscaled * pow10(this.#scale - scale);
  }

  #with(changes: Partial<Representation>): Quantity {
    return new Quantity({
      unscaled: this.#unscaled,
      scale: this.#scale,
      isDecimal: this.#isDecimal,
      format: this.format,
      ...changes,
    });
  }
}

const compare = (a: bigint, b: bigint): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

function digits(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

function binaryText(value: bigint): string {
  let rest = value;
  let exponent = 0;
  while (rest % 1024n === 0n) {
    rest /= 1024n;
    exponent++;
  }
  return `${rest}${BINARY_SUFFIXES[exponent] ?? ""}`;
}

/**
 * Whether the product, written with all its digits, is still an exact int64. Only then upstream keeps the fast form.
 */
function fitsWhenWritten(unscaled: bigint, scale: Scale): boolean {
  if (scale > 0) return scale <= 18 && fitsInt64(unscaled * pow10(scale));
  return scale === 0 || unscaled % pow10(-scale) === 0n;
}

export function divideAwayFromZero(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  const up = value < 0n ? -1n : 1n;
  if (places > digits(value)) return up;
  const divisor = pow10(places);
  const quotient = value / divisor;
  return value % divisor === 0n ? quotient : quotient + up;
}

// Upstream: amount.go, AsScaledInt64, and math.go, positiveScaleInt64: an overflow wraps where one
// multiplication does it, and gives 0 where a loop of them does.
function scaledInt64Amount(value: bigint, places: number): bigint {
  if (places <= 0) return divideAwayFromZero(value, -places);
  if (value === 0n || places > 18) return 0n;
  const scaled = value * pow10(places);
  if (fitsInt64(scaled)) return scaled;
  return [1, 2, 3, 6, 9].includes(places) && value !== INT64_MIN ? BigInt.asIntN(64, scaled) : 0n;
}

// Upstream: scale_int.go, scaledValue. A remainder always adds one, also below zero.
function scaledDecimal(unscaled: bigint, places: number): bigint {
  if (places === 0) return BigInt.asIntN(64, unscaled);
  if (places > 0) return BigInt.asIntN(64, BigInt.asIntN(64, unscaled) * (places < 19 ? pow10(places) : INT64_MIN));
  const divisor = pow10(Math.min(-places, digits(unscaled) + 1));
  if (unscaled < INT64_MAX && -places < 19) {
    const value = BigInt.asIntN(64, unscaled);
    return value % divisor === 0n ? value / divisor : value / divisor + 1n;
  }
  const remainder = unscaled % divisor;
  const floor = unscaled / divisor - (remainder < 0n ? 1n : 0n);
  return BigInt.asIntN(64, remainder === 0n ? floor : floor + 1n);
}

// Go composes powers of ten from a table of 10^0 to 10^31 and one of 10^(32 n).
function goPow10(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Number.POSITIVE_INFINITY;
  const magnitude = Math.abs(exponent);
  const [coarse, fine] = [magnitude - (magnitude % 32), magnitude % 32];
  return exponent < 0 ? Number(`1e-${coarse}`) / Number(`1e${fine}`) : Number(`1e${coarse}`) * Number(`1e${fine}`);
}

/** An integer. */
export function quantityOf(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return new Quantity({ unscaled: BigInt(value), scale: 0, isDecimal: false, format });
}

/** An amount in thousandths. */
export function milliQuantity(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return new Quantity({ unscaled: BigInt(value), scale: MILLI, isDecimal: false, format });
}

export function scaledQuantity(value: bigint | number, scale: Scale): Quantity {
  return new Quantity({ unscaled: BigInt(value), scale, isDecimal: false, format: "DecimalSI" });
}

const UPPER_1024 = quantityOf(1024);
const LOWER_1024 = quantityOf(-1024);

/** Upstream's zero value: sums start from it and take the format of the first addend. */
export const ZERO_QUANTITY: Quantity = quantityOf(0, "");

export function maxQuantity(a: Quantity, b: Quantity): Quantity {
  return a.cmp(b) < 0 ? b : a;
}
