import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getBuiltinModule } from "node:process";
import { afterEach, describe, expect, it } from "vitest";
import { INT64_MAX } from "#api/int64.ts";
import { describeConvergence } from "#apiserver/convergence.contract.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { describeStorage } from "#apiserver/storage/storage.contract.ts";
import { StorageWriteFailed } from "#apiserver/storage/storage.ts";
import { testClock } from "#base/testing.ts";
import { JournalUnusable, openSqliteJournal } from "./sqlite-store.ts";

const directories: string[] = [];

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "journal-"));
  directories.push(directory);
  return join(directory, "store.db");
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

describeStorage("sqlite storage", () => {
  const clock = testClock();
  return {
    clock,
    open: (options) =>
      new MemoryStorage({ clock, journal: openSqliteJournal({ path: newPath(), synchronous: "normal" }), ...options }),
    advance: (ms) => clock.advance(ms),
  };
});

describeConvergence(
  "sqlite storage",
  (clock) => new MemoryStorage({ clock, journal: openSqliteJournal({ path: newPath(), synchronous: "normal" }) }),
);

describe("sqlite journal", () => {
  const clock = testClock();
  const open = (path: string, pagesMax?: number): MemoryStorage =>
    new MemoryStorage({
      clock,
      journal: openSqliteJournal({ path, synchronous: "normal", ...(pagesMax && { pagesMax }) }),
    });
  const build =
    (name: string, value = "") =>
    (revision: number) => ({
      metadata: { name, resourceVersion: String(revision), annotations: { value } },
    });

  it("restores state, history and revision after a restart", () => {
    const path = newPath();
    const first = open(path);
    const pods = first.table("pods");
    const x = pods.create("a/x", build("x", "1"));
    const start = first.revision;
    const y = pods.create("a/y", build("y"));
    if (x === undefined || y === undefined) throw new Error("not created");
    pods.update(x, build("x", "2"));
    pods.delete(y, build("y"));
    first.close();
    const second = open(path);
    expect(second.revision).toBe(start + 3);
    const again = second.table("pods");
    expect(
      [...again.scan({ prefix: "" })].map(({ key, object }) => [key, object.metadata?.annotations?.value]),
    ).toEqual([["a/x", "2"]]);
    expect([...again.scan({ prefix: "", revision: start + 1 })].map(({ key }) => key)).toEqual(["a/x", "a/y"]);
    expect(again.since(start).map(({ key, isDeletion }) => [key, isDeletion])).toEqual([
      ["a/y", false],
      ["a/x", false],
      ["a/y", true],
    ]);
    second.close();
  });

  it("restores every int64", () => {
    const path = newPath();
    const first = open(path);
    first.table("pods").create("a/x", () => ({ metadata: { name: "x", deletionGracePeriodSeconds: INT64_MAX } }));
    first.close();
    const second = open(path);
    const [stored] = [...second.table("pods").scan({ prefix: "" })];
    expect(stored?.object.metadata?.deletionGracePeriodSeconds).toBe(INT64_MAX);
    second.close();
  });

  it("never reuses a revision, even if the last entries were compacted", () => {
    const path = newPath();
    const first = open(path);
    const x = first.table("pods").create("a/x", build("x"));
    if (x === undefined) throw new Error("not created");
    first.table("pods").delete(x, build("x"));
    const last = first.revision;
    first.compact(last);
    first.close();
    const second = open(path);
    expect(second.revision).toBe(last);
    expect(second.table("pods").compactedRevision).toBe(last);
    expect(second.table("pods").size).toBe(0);
    second.close();
  });

  it("refuses a write when the file is full, and keeps nothing of it", () => {
    const path = newPath();
    const storage = open(path, 40);
    const table = storage.table("pods");
    const filler = "x".repeat(8_000);
    let written = 0;
    expect(() => {
      for (;;) {
        table.create(`a/${written}`, build("x", filler));
        written++;
      }
    }).toThrow(StorageWriteFailed);
    expect(written).toBeGreaterThan(3);
    const revision = storage.revision;
    expect(table.get(`a/${written}`)).toBeUndefined();
    expect(table.size).toBe(written);
    storage.close();
    const again = open(path);
    expect(again.table("pods").size).toBe(written);
    expect(again.revision).toBe(revision);
    expect(again.table("pods").create("a/more", build("more"))).toBeDefined();
    again.close();
  });

  it.each(["at once", "after a restart"])("works again after deletes when it was full, %s", (when) => {
    const path = newPath();
    const pagesMax = 60;
    let storage = open(path, pagesMax);
    const filler = "x".repeat(6_000);
    const fill = (): number => {
      let written = 0;
      try {
        for (; ; written++) storage.table("pods").create(`a/${storage.revision}`, build("x", filler));
      } catch (error) {
        expect(error).toBeInstanceOf(StorageWriteFailed);
      }
      return written;
    };
    const first = fill();
    expect(first).toBeGreaterThan(10);
    for (let round = 0; round < 5; round++) {
      if (when === "after a restart") {
        storage.close();
        storage = open(path, pagesMax);
      }
      const pods = storage.table("pods");
      const revision = storage.revision;
      for (const version of [...pods.scan({ prefix: "" })].slice(0, 5)) {
        expect(pods.delete(version, build("x", filler))).toBeDefined();
      }
      expect(storage.revision).toBe(revision + 5);
      // Objects share pages.
      expect(fill()).toBeGreaterThan(2);
      expect(pods.size).toBeGreaterThan(first / 2);
    }
    const { revision } = storage;
    const keys = [...storage.table("pods").scan({ prefix: "" })].map(({ key }) => key);
    storage.close();
    const again = open(path);
    expect([again.revision, [...again.table("pods").scan({ prefix: "" })].map(({ key }) => key)]).toEqual([
      revision,
      keys,
    ]);
    again.close();
  });

  it("accepts a write that fits even if the history cannot be dropped for lack of room", () => {
    const path = newPath();
    const journal = openSqliteJournal({ path, synchronous: "normal" });
    let isFull = false;
    const compacted: number[] = [];
    const storage = new MemoryStorage({
      clock,
      historyEventsMax: 8,
      journal: {
        load: () => journal.load(),
        append: (entry) => journal.append(entry),
        compact(revision, superseded) {
          if (isFull) throw new StorageWriteFailed("full");
          compacted.push(...superseded);
          journal.compact(revision, superseded);
        },
        close: () => journal.close(),
      },
    });
    const table = storage.table("pods");
    let x = table.create("a/x", build("x"));
    const write = (count: number): void => {
      for (let i = 0; i < count; i++) x = x && table.update(x, build("x", String(i)));
    };
    isFull = true;
    write(20);
    expect([x?.object.metadata?.annotations?.value, compacted]).toEqual(["19", []]);
    isFull = false;
    write(10);
    expect(compacted.length).toBeGreaterThan(20);
    storage.close();
    const again = open(path);
    expect(again.table("pods").get("a/x")?.object.metadata?.annotations?.value).toBe("9");
    again.close();
  });

  it("is used by one process at a time", () => {
    const path = newPath();
    const storage = open(path);
    storage.table("pods").create("a/x", build("x"));
    const program = `import { openSqliteJournal } from ${JSON.stringify(new URL("./sqlite-store.ts", import.meta.url).pathname)};
      try { openSqliteJournal({ path: ${JSON.stringify(path)} }); console.log("opened"); } catch (error) { console.log(error.message); }`;
    const run = (): string =>
      spawnSync(process.execPath, ["--input-type=module", "-e", program]).stdout.toString().trim();
    expect(run()).toBe(`cannot use ${path} as the store: another process is using it`);
    storage.close();
    expect(run()).toBe("opened");
  });

  it.each([
    ["null", "it is not an object with metadata"],
    ["[]", "it is not an object with metadata"],
    ['{"metadata":1}', "it is not an object with metadata"],
    ['{"metadata":', ""],
  ])("names the file and the row when an entry is %s", (text, why) => {
    const path = newPath();
    const storage = open(path);
    storage.table("pods").create("a/x", build("x"));
    const { revision } = storage;
    storage.close();
    const database = new (getBuiltinModule("node:sqlite").DatabaseSync)(path);
    database.prepare("UPDATE entries SET object = ?").run(text);
    database.close();
    expect(() => open(path)).toThrow(
      `cannot use ${path} as the store: the entry of revision ${revision} (pods a/x) is damaged: ${why}`,
    );
    expect(() => open(path)).toThrow(JournalUnusable);
  });

  it("makes a store private that others could read", () => {
    const path = newPath();
    open(path).close();
    chmodSync(path, 0o666);
    const storage = open(path);
    storage.table("pods").create("a/x", build("x"));
    for (const name of readdirSync(dirname(path))) {
      expect([name, statSync(join(dirname(path), name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    storage.close();
  });

  it("reports a damaged file, a file of another format and one that cannot be written", () => {
    const damaged = newPath();
    const storage = open(damaged);
    for (let i = 0; i < 200; i++) storage.table("pods").create(`a/${i}`, build("x", "y".repeat(500)));
    storage.close();
    const bytes = readFileSync(damaged);
    bytes.fill(0xff, 4096, 4096 * 8);
    writeFileSync(damaged, bytes);
    expect(() => open(damaged)).toThrow(JournalUnusable);
    const foreign = newPath();
    writeFileSync(foreign, "this is no database at all, but long enough to look like one".repeat(100));
    expect(() => open(foreign)).toThrow(JournalUnusable);
    expect(() => open(join(newPath(), "missing", "store.db"))).toThrow(JournalUnusable);
    expect(readFileSync(foreign, "utf8")).toContain("no database");
    const cut = newPath();
    const whole = open(cut);
    for (let i = 0; i < 200; i++) whole.table("pods").create(`a/${i}`, build("x", "y".repeat(500)));
    whole.close();
    truncateSync(cut, 4096 * 4 + 100);
    expect(() => open(cut)).toThrow(JournalUnusable);
  });
});
