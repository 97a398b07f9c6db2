import { expect, it } from "vitest";
import { LruMap } from "./lru.ts";

it("forgets the least recently read or written entry", () => {
  const map = new LruMap<number>(2);
  const held = (): unknown[] => ["d", "c", "b", "a"].map((key) => map.get(key)).reverse();
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect([map.get("b"), map.get("c"), map.get("a")]).toEqual([undefined, 3, 1]);
  map.set("c", 4);
  map.set("d", 5);
  expect(held()).toEqual([undefined, undefined, 4, 5]);
});
