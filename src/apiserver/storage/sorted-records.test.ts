import { expect, it } from "vitest";
import { seededRng } from "#base/seeded-rng.ts";
import { SortedRecords } from "./sorted-records.ts";

it("counts and visits records like a sorted list, over many blocks", () => {
  const rng = seededRng(1);
  const records = new SortedRecords<{ key: string }>();
  const keys = new Set<string>();
  for (let i = 0; i < 6_000; i++) {
    const key = `k${rng.below(4_000)}`;
    if (keys.delete(key)) records.remove(key);
    else {
      keys.add(key);
      records.insert({ key });
    }
  }
  const sorted = [...keys].sort();
  expect([...records.from("")].map(({ key }) => key)).toEqual(sorted);
  for (const [from, before] of [
    ["", undefined],
    ["k2", "k3"],
    ["k2", undefined],
    ["k", "k1999"],
    ["z", undefined],
    ["", "a"],
  ] as const) {
    const expected = sorted.filter((key) => key >= from && (before === undefined || key < before));
    expect(records.countBetween(from, before)).toBe(expected.length);
  }
});
