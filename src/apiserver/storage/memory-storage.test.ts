import { expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { describeStorage } from "./storage.contract.ts";
import type { StoredVersion } from "./storage.ts";

describeStorage("memory storage", () => {
  const clock = testClock();
  return {
    clock,
    open: (options) => new MemoryStorage({ clock, ...options }),
    advance: (ms) => clock.advance(ms),
  };
});

it("keeps nothing of objects that are gone and forgotten, and of the others one version", () => {
  const storage = new MemoryStorage({ clock: testClock() });
  const table = storage.table("pods");
  const build = (revision: number) => ({ metadata: { name: "x", resourceVersion: String(revision) } });
  const write = (key: string): StoredVersion => {
    const before = table.get(key);
    return (before === undefined ? table.create(key, build) : table.update(before, build)) as StoredVersion;
  };
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 500; i++) {
      write(`a/${round}-${i}`);
      write(`a/${round}-${i}`);
      table.delete(write(`a/${round}-${i}`), build);
    }
    const kept = write("a/kept");
    storage.compact(storage.revision);
    expect([table.keyCount, table.size, table.historyLength]).toEqual([1, 1, 0]);
    expect(table.count({ prefix: "" })).toBe(1);
    expect(kept.previous).toBeUndefined();
  }
});

it("keeps a bounded history by itself", () => {
  const storage = new MemoryStorage({ clock: testClock(), historyEventsMax: 1_000 });
  const table = storage.table("pods");
  const build = (revision: number) => ({ metadata: { resourceVersion: String(revision) } });
  for (let i = 0; i < 5_000; i++) {
    table.delete(table.create(`a/${i}`, build) as StoredVersion, build);
    expect(table.historyLength).toBeLessThanOrEqual(1_000);
  }
  expect(table.keyCount).toBeLessThanOrEqual(1_000);
});
