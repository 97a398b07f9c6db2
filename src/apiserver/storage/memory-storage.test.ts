import { expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { describeStorage } from "./storage.contract.ts";
import { StorageWriteFailed, type StoredVersion } from "./storage.ts";

describeStorage("memory storage", () => {
  const clock = testClock();
  return {
    clock,
    open: (options) => new MemoryStorage({ clock, ...options }),
    advance: (ms) => clock.advance(ms),
  };
});

it("keeps nothing of deleted and compacted objects, and one version of others", () => {
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

it("bounds its history automatically", () => {
  const storage = new MemoryStorage({ clock: testClock(), historyEventsMax: 1_000 });
  const table = storage.table("pods");
  const build = (revision: number) => ({ metadata: { resourceVersion: String(revision) } });
  for (let i = 0; i < 5_000; i++) {
    table.delete(table.create(`a/${i}`, build) as StoredVersion, build);
    expect(table.historyLength).toBeLessThanOrEqual(1_000);
  }
  expect(table.keyCount).toBeLessThanOrEqual(1_000);
});

const object = (revision: number) => ({ metadata: { name: "x", resourceVersion: String(revision) } });

/** A journal with room for this many entries. */
function smallJournal(entriesMax: number): Journal {
  const entries = new Map<number, JournalEntry>();
  let [last, compacted] = [0, 0];
  return {
    load: () => ({ revision: last, compactedRevision: compacted, entries: [...entries.values()] }),
    append(entry) {
      if (entries.size >= entriesMax) throw new StorageWriteFailed("full");
      entries.set(entry.revision, entry);
      last = entry.revision;
    },
    compact(revision, superseded) {
      for (const one of superseded) entries.delete(one);
      compacted = Math.max(compacted, revision);
      last = Math.max(last, revision);
    },
    close: () => undefined,
  };
}

it("drops expired history before it refuses a write, and newer history only if necessary", async () => {
  const clock = testClock();
  const storage = new MemoryStorage({ clock, journal: smallJournal(30) });
  const table = storage.table("pods");
  let x = table.create("x", object) as StoredVersion;
  const write = (count: number): void => {
    for (let i = 0; i < count; i++) x = table.update(x, object) as StoredVersion;
  };
  write(19);
  await clock.advance(16_000);
  const marked = storage.revision;
  write(10);
  await clock.advance(300_000);
  write(1);
  expect([table.compactedRevision, table.historyLength]).toEqual([marked, 11]);
  write(100);
  expect(table.compactedRevision).toBeGreaterThan(marked + 50);
});

it("a full store refuses creates, but still deletes, even after a restart", () => {
  const journal = smallJournal(10);
  let storage = new MemoryStorage({ clock: testClock(), journal });
  for (let i = 0; i < 10; i++) storage.table("pods").create(`a/${i}`, object);
  for (const round of [0, 1, 2]) {
    const table = storage.table("pods");
    const seen: string[] = [];
    using _ = table.subscribe(({ key, isDeletion }) => seen.push(`${key} ${isDeletion}`));
    const { revision } = storage;
    expect(() => table.create("a/more", object)).toThrow(StorageWriteFailed);
    expect(() => table.update(table.get("a/9") as StoredVersion, object)).toThrow(StorageWriteFailed);
    table.delete(table.get(`a/${round}`) as StoredVersion, object);
    expect(storage.revision).toBe(revision + 1);
    table.create(`b/${round}`, object);
    expect(seen).toEqual([`a/${round} true`, `b/${round} false`]);
    storage = new MemoryStorage({ clock: testClock(), journal });
    expect([storage.revision, storage.table("pods").size]).toEqual([revision + 2, 10]);
  }
});

it("a listener that throws affects neither other listeners nor the write", () => {
  const errors: unknown[] = [];
  const storage = new MemoryStorage({ clock: testClock() });
  storage.onListenerError = (error) => errors.push(error);
  const table = storage.table("pods");
  const seen: string[] = [];
  table.subscribe(({ key }) => seen.push(`first ${key}`));
  table.subscribe(() => {
    throw new Error("boom");
  });
  table.subscribe(({ key }) => seen.push(`last ${key}`));
  expect(table.create("x", object)).toBeDefined();
  expect(seen).toEqual(["first x", "last x"]);
  expect(errors).toEqual([new Error("boom")]);
});
