import { expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

it("keeps the last entries up to the limit, and never more than twice as many", () => {
  const map = new RecentMap<number, string>(10);
  for (let i = 0; i < 1_000; i++) {
    map.set(i, String(i));
    expect(map.size).toBeLessThanOrEqual(20);
    for (let back = 0; back < Math.min(i + 1, 10); back++) expect(map.get(i - back)).toBe(String(i - back));
  }
  expect(map.get(5)).toBeUndefined();
});

it("keeps entries that are used again", () => {
  const map = new RecentMap<string, number>(10);
  map.set("used", 1);
  for (let i = 0; i < 1_000; i++) {
    map.set(`other ${i}`, i);
    expect(map.get("used")).toBe(1);
  }
});
