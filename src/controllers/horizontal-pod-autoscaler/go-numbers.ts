// Converts floating-point numbers to integers like Go on amd64: values that are too large become the smallest integer.

import { INT64_MIN } from "#api/int64.ts";

export const INT32_MAX: number = 2 ** 31 - 1;
export const INT32_MIN: number = -(2 ** 31);

/** int64(value) */
export function toInt64(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : INT64_MIN;
}

/** int32(value) */
export function toInt32(value: number): number {
  const whole = Math.trunc(value) + 0; // no negative zero
  return whole >= INT32_MIN && whole <= INT32_MAX ? whole : INT32_MIN;
}

/** The sum or product as an int64, which wraps around. */
export const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value);

/** The same as an int32. */
export const wrapped32 = (value: number): number => value | 0;
