import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRng } from "./seeded-rng.ts";

describe("seededRng", () => {
  it("gives the same stream for the same seed and labels, independent of other draws", () => {
    const one = seededRng("s");
    one.uint32();
    one.fork("other").bytes(100);
    const two = seededRng("s");
    expect(one.fork("a").fork("b").bytes(16)).toEqual(two.fork("a").fork("b").bytes(16));
    expect(one.fork("a").uuid()).not.toBe(two.fork("b").uuid());
    expect(seededRng(1).uuid()).toBe(seededRng("1").uuid());
  });

  it("is fixed: recorded seeds replay for ever", () => {
    const rng = seededRng("steersman");
    expect([rng.uint32(), rng.uint32(), rng.fork("names").uint32()]).toEqual([4219806266, 60635468, 2238133679]);
  });

  it("neighbouring seeds and labels share nothing", () => {
    const seen = new Set<number>();
    for (let i = 0; i < 2000; i++) {
      seen.add(seededRng(i).uint32());
      seen.add(seededRng("x").fork(`${i}`).uint32());
    }
    expect(seen.size).toBeGreaterThan(3995);
  });

  it("draws evenly and within bounds", () => {
    const rng = seededRng("even");
    const drawn = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) {
      const value = rng.below(7);
      drawn[value] = (drawn[value] as number) + 1;
    }
    for (const count of drawn) expect(Math.abs(count - 10_000)).toBeLessThan(500);
    let sum = 0;
    for (let i = 0; i < 10_000; i++) {
      const value = rng.float();
      expect(value >= 0 && value < 1).toBe(true);
      sum += value;
    }
    expect(Math.abs(sum / 10_000 - 0.5)).toBeLessThan(0.02);
    expect(rng.below(2 ** 40)).toBeLessThan(2 ** 40);
    expect(() => rng.below(0)).toThrow("cannot draw below 0");
  });

  it("makes version-4 UUIDs", () => {
    const rng = seededRng("uuid");
    const uuids = Array.from({ length: 100 }, () => rng.uuid());
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(100);
  });

  it("shuffles without losing anything or touching its input", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const before = items.slice();
        const shuffled = seededRng(seed).shuffle(items);
        expect(items).toEqual(before);
        expect(shuffled.toSorted()).toEqual(items.toSorted());
      }),
    );
  });
});
