import { describe, expect, it } from "vitest";
import { systemRng } from "./system-rng.ts";

describe("systemRng", () => {
  it("draws unpredictable numbers in every stream", () => {
    const rng = systemRng();
    const drawn = new Set(Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? rng : rng.fork("x")).uuid()));
    expect(drawn.size).toBe(3000);
    expect(systemRng().uint32()).not.toBe(systemRng().uint32());
  });

  it("keeps to the bounds", () => {
    const rng = systemRng();
    for (let i = 0; i < 1000; i++) expect(rng.below(3)).toBeLessThan(3);
    expect(rng.shuffle([1, 2, 3]).toSorted()).toEqual([1, 2, 3]);
    expect(rng.bytes(33).length).toBe(33);
  });
});
