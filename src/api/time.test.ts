// Times, durations, percentages and resource versions against upstream's answers (tools/go/vectors-values).

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs, durationOfMs, formatDuration, parseDuration } from "#api/go-duration.ts";
import { type IntOrString, intValue, scaledValue } from "#api/int-or-string.ts";
import { compareResourceVersions, isComparableResourceVersion } from "#api/resource-version.ts";
import { formatMicroTime, formatTime, parseMicroTime, parseTime, timeOrUndefined } from "#api/time.ts";
import file from "#test/vectors/values-time.json" with { type: "json" };
import { differences, outcome } from "./vector-outcome.ts";

type Row = readonly unknown[];
const vectors = file as unknown as Readonly<Record<string, readonly Row[]>>;
const rows = (name: string): readonly Row[] => {
  const list = vectors[name] ?? [];
  expect(list.length).toBeGreaterThan(100);
  return list;
};
const afterFirst = ([, ...rest]: Row): unknown => ("error" in Object(rest[0]) ? rest[0] : rest);

describe("durations", () => {
  it("are read and printed as Go does", () => {
    const ours = ([text]: Row): unknown =>
      outcome(() => {
        const duration = parseDuration(text as string);
        return [String(duration), formatDuration(duration)];
      });
    expect(differences(rows("durations"), afterFirst, ours)).toEqual([]);
    const print = ([nanoseconds]: Row): unknown => formatDuration(BigInt(nanoseconds as string));
    expect(differences(rows("formatDurations"), (row) => row[1], print)).toEqual([]);
  });
  it("are read back from what is printed", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    // Go scales fractions of a second in floating point, which is exact for up to nine digits.
    fc.assert(fc.property(int64, (duration) => parseDuration(formatDuration(duration)) === duration));
  });
  it("convert to milliseconds and back", () => {
    expect(durationMs(parseDuration("1.5s"))).toBe(1500);
    expect(durationOfMs(0.25)).toBe(250_000n);
    expect(formatDuration(durationOfMs(90_000))).toBe("1m30s");
  });
});

describe("times", () => {
  it("are read as Go does", () => {
    const expected = ([, seconds, micros]: Row): unknown =>
      typeof seconds === "number" ? seconds * 1e6 + (micros as number) : seconds;
    const reads =
      (read: (text: string) => number) =>
      ([text]: Row): unknown =>
        outcome(() => Math.round(read(text as string) * 1000));
    expect(differences(rows("times"), expected, reads(parseTime))).toEqual([]);
    expect(differences(rows("microTimes"), expected, reads(parseMicroTime))).toEqual([]);
  });
  it("are printed with whole seconds or six digits", () => {
    const ours = ([micros]: Row): unknown => [
      formatTime((micros as number) / 1000),
      formatMicroTime((micros as number) / 1000),
    ];
    expect(differences(rows("formatTimes"), (row) => row.slice(1), ours)).toEqual([]);
  });
  it("may be missing or unreadable", () => {
    expect([undefined, null, "", "soon"].map(timeOrUndefined)).toEqual([undefined, undefined, undefined, undefined]);
    expect(timeOrUndefined("1970-01-01T00:00:01.5Z")).toBe(1500);
  });
});

describe("int or string", () => {
  it("scales percentages as upstream does", () => {
    const ours = ([value, total]: Row): unknown => {
      const up = outcome(() => scaledValue(value as IntOrString, total as number, true));
      if (typeof up !== "number") return [up, intValue(value as IntOrString)];
      return [up, scaledValue(value as IntOrString, total as number, false), intValue(value as IntOrString)];
    };
    expect(differences(rows("intOrString"), (row) => row.slice(2), ours)).toEqual([]);
    expect(() => scaledValue(undefined, 1, true)).toThrow("nil value for IntOrString");
  });
});

describe("resource versions", () => {
  it("machinery/5.4.3, storage-version-migrator/10 compare as unbounded positive integers", () => {
    const ours = ([a, b]: Row): unknown => outcome(() => compareResourceVersions(a as string, b as string));
    expect(differences(rows("resourceVersions"), (row) => row[2], ours)).toEqual([]);
    expect(["1", "0", "", "07"].map(isComparableResourceVersion)).toEqual([true, false, false, false]);
  });
});
