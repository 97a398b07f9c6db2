// Integers of 64 bits. A double holds an integer exactly up to 2^53-1, so an int64 beyond that is a bigint at run time
// and every other one a number: each integer has one form, and === compares two of them. `<` and `>` compare both forms
// with each other; `+` and the other operators throw on a mixture, so arithmetic first picks a form.

/** An integer that a user or driver wrote: a bigint beyond 2^53-1, otherwise a number. */
export type Int64 = number | bigint;

export const INT64_MAX: bigint = 2n ** 63n - 1n;
export const INT64_MIN: bigint = -(2n ** 63n);

/** The canonical form of an integer within int64; undefined for a larger one. */
export function int64Of(value: bigint): Int64 | undefined {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value <= INT64_MAX && value >= INT64_MIN ? value : undefined;
}

/**
 * Go's conversion of a number to int64: fractions are dropped, and a double beyond int64 becomes the smallest int64.
 */
export function int64From(value: number | bigint): Int64 {
  const whole = typeof value === "number" ? Math.trunc(value) : value;
  if (Number.isSafeInteger(whole)) return whole;
  return int64Of(Number.isFinite(Number(whole)) ? BigInt(whole) : INT64_MIN) ?? INT64_MIN;
}

/** Callers may also pass small integers as bigints. */
export function isInt64(value: unknown): value is Int64 {
  return Number.isSafeInteger(value) || (typeof value === "bigint" && int64Of(value) !== undefined);
}

/** Negative, zero or positive, for sorting. */
export function compareInt64(a: Int64, b: Int64): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Go's time.Duration(seconds) * time.Second in milliseconds: it wraps beyond 292 years, and so may be negative. */
export function wrappedSecondsMs(seconds: Int64): number {
  if (typeof seconds === "number" && Math.abs(seconds) <= DURATION_SECONDS_MAX) return seconds * 1000;
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1_000_000;
}
const DURATION_SECONDS_MAX = 9_223_372_036;

/** The nearest integer that a double holds exactly, for timers and sizes, where larger values make no difference. */
export function clampToNumber(value: Int64): number {
  if (typeof value === "number") return value;
  return value > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}
