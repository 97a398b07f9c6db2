import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clampToNumber, compareInt64, INT64_MAX, INT64_MIN, int64Of, isInt64, wrappedSecondsMs } from "#api/int64.ts";

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

describe("int64", () => {
  it("is a number up to 2^53-1 and a bigint beyond", () => {
    expect(int64Of(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(int64Of(-(2n ** 53n) + 1n)).toBe(Number.MIN_SAFE_INTEGER);
    expect(int64Of(2n ** 53n)).toBe(2n ** 53n);
    expect(int64Of(INT64_MAX)).toBe(INT64_MAX);
    expect(int64Of(INT64_MIN)).toBe(INT64_MIN);
    expect(int64Of(INT64_MAX + 1n)).toBeUndefined();
    expect(int64Of(INT64_MIN - 1n)).toBeUndefined();
  });

  it("is recognised in either form", () => {
    expect([0, -1, Number.MAX_SAFE_INTEGER, INT64_MAX, INT64_MIN, 1n].filter(isInt64)).toHaveLength(6);
    expect([0.5, 2 ** 53, Number.NaN, "1", null, undefined, INT64_MAX + 1n].filter(isInt64)).toEqual([]);
  });

  it("orders both forms as one line of integers", () => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const expected = a < b ? -1 : a > b ? 1 : 0;
        expect(compareInt64(int64Of(a) ?? 0, int64Of(b) ?? 0)).toBe(expected);
      }),
    );
  });

  it("is clamped to what a double holds exactly", () => {
    expect([7, -7, INT64_MAX, INT64_MIN].map(clampToNumber)).toEqual([
      7,
      -7,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ]);
  });

  it("wraps as a duration in seconds, as in Go", () => {
    expect([30, -1, 9_223_372_036, 9_223_372_037, INT64_MAX, 2n ** 53n].map(wrappedSecondsMs)).toEqual([
      30_000, -1000, 9_223_372_036_000, -9_223_372_036_709.553, -1000, 4_611_686_018_427.388,
    ]);
  });
});
