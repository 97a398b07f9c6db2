// Name rules against upstream's complaints (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import * as names from "#api/names.ts";
import { seededRng } from "#base/seeded-rng.ts";
import file from "#test/vectors/values-names.json" with { type: "json" };
import { differences } from "./vector-outcome.ts";

type Row = readonly [check: string, value: string, complaints: readonly string[] | number];
const checks = (file as unknown as { readonly checks: readonly Row[] }).checks;

describe("names", () => {
  it("are validated with upstream's messages", () => {
    const ours = ([check, value]: Row): unknown =>
      (names as unknown as Record<string, names.NameCheck>)[check]?.(value);
    const expected = ([, , complaints]: Row): unknown =>
      typeof complaints === "number" ? checks[complaints]?.[2] : complaints;
    expect(differences(checks, expected, ours)).toEqual([]);
  });

  it("check numbers", () => {
    expect(names.isPortNumber(0)).toEqual(["must be between 1 and 65535, inclusive"]);
    expect(names.isPortNumber(65535)).toEqual([]);
    expect(names.isUserId(-1)).toEqual(["must be between 0 and 2147483647, inclusive"]);
  });

  it("are generated from a base of at most 58 bytes and five letters without vowels", () => {
    const rng = seededRng(1);
    expect(names.generateName(rng, "web-")).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(names.generateName(rng, "a".repeat(80))).toHaveLength(63);
    expect(names.generateName(seededRng(7), "x-")).toBe(names.generateName(seededRng(7), "x-"));
  });
});
