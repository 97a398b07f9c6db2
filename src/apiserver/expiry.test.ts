import { describe, expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { hostTurn } from "#base/testing.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import { Expiry } from "./expiry.ts";
import type { Journal } from "./storage/journal.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import { StorageWriteFailed, type StoredVersion, type Table } from "./storage/storage.ts";

const TTL_SECONDS = 60;

function setUp(journal?: Journal): {
  clock: VirtualClock;
  table: Table;
  expiry: Expiry;
  write(key: string): StoredVersion;
} {
  const clock = new VirtualClock({ turn: hostTurn });
  const table = new MemoryStorage({ clock, ...(journal && { journal }) }).table("events");
  const expiry = new Expiry(clock, noLog);
  const write = (key: string): StoredVersion => {
    const build = (revision: number) => ({ metadata: { name: key, resourceVersion: String(revision) } });
    const before = table.get(key);
    const version = before === undefined ? table.create(key, build) : table.update(before, build);
    expiry.schedule(table, version as StoredVersion, TTL_SECONDS);
    return version as StoredVersion;
  };
  return { clock, table, expiry, write };
}

describe("expiry", () => {
  it("removes an object one lifetime after its last write", async () => {
    const { clock, table, write } = setUp();
    write("a");
    write("b");
    await clock.advance(40_000);
    write("a");
    await clock.advance(20_000);
    expect([...table.scan({ prefix: "" })].map(({ key }) => key)).toEqual(["a"]);
    await clock.advance(40_000);
    expect(table.size).toBe(0);
  });

  it("queues an object once even if written again, and drops deleted ones", async () => {
    const { clock, table, expiry, write } = setUp();
    for (let round = 0; round < 100; round++) for (const key of ["a", "b", "c"]) write(key);
    expect(expiry.size).toBe(3);
    const version = table.get("b") as StoredVersion;
    table.delete(version, () => version.object);
    expect(expiry.size).toBe(2);
    await clock.advance(TTL_SECONDS * 1000);
    expect(expiry.size).toBe(0);
    expect(table.size).toBe(0);
  });

  it("retries when the store refuses to delete", async () => {
    const failures = { left: 2 };
    const entries: number[] = [];
    const journal: Journal = {
      load: () => ({ revision: 0, compactedRevision: 0, entries: [] }),
      append({ isDeletion, revision }) {
        if (isDeletion && failures.left > 0) throw new StorageWriteFailed("the disk is full");
        entries.push(revision);
      },
      compact() {
        if (failures.left-- > 0) throw new StorageWriteFailed("the disk is full");
      },
      close: () => undefined,
    };
    const { clock, table, expiry, write } = setUp(journal);
    write("a");
    write("b");
    await clock.advance(TTL_SECONDS * 1000);
    expect([table.size, expiry.size]).toEqual([2, 2]);
    await clock.advance(TTL_SECONDS * 1000);
    expect([table.size, expiry.size]).toEqual([0, 0]);
  });

  it("releases the table when it is closed", () => {
    const { table, expiry, write } = setUp();
    write("a");
    expiry.close();
    expect(expiry.size).toBe(0);
    const version = table.get("a") as StoredVersion;
    expect(table.delete(version, () => version.object)).toBeDefined();
  });
});
