// Estimates of sizes and costs: 64-bit integers that saturate instead of wrapping.
// Upstream: github.com/google/cel-go/checker/cost.go, SizeEstimate and CostEstimate

/** Of characters, bytes, items or entries. */
export interface Size {
  readonly min: bigint;
  readonly max: bigint;
}

/** The largest number: unknown. */
export const UNBOUNDED: bigint = 2n ** 64n - 1n;
export const UNKNOWN: Size = { min: 0n, max: UNBOUNDED };

export const STRING_FACTOR = 0.1;
export const REGEX_FACTOR = 0.25;

const bounded = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value);

export const plus = (a: bigint, b: bigint): bigint => bounded(a + b);
export const times = (a: bigint, b: bigint): bigint => bounded(a * b);

/** Rounded up, from the nearest double. */
export function scaled(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? UNBOUNDED : BigInt(product);
}

/** For places where upstream does not saturate. */
export const wrapped = (value: bigint): bigint => BigInt.asUintN(64, value);

export const fixed = (size: bigint): Size => ({ min: size, max: size });

export const sum = (a: Size, b: Size): Size => ({ min: plus(a.min, b.min), max: plus(a.max, b.max) });
export const product = (a: Size, b: Size): Size => ({ min: times(a.min, b.min), max: times(a.max, b.max) });

/** Math.max knows no big integers. */
export function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

/** The smallest range that contains both. */
export const span = (a: Size, b: Size): Size => ({
  min: larger(a.min, b.min) === a.min ? b.min : a.min,
  max: larger(a.max, b.max),
});
