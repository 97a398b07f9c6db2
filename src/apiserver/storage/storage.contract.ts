// The contract of every Storage. The subjects provide functions to open a store and to open it again on its data.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import type { Clock } from "#base/clock.ts";
import type { Storage, StoredVersion, Table } from "./storage.ts";

export interface StorageSubject {
  open(options?: { historyMs?: number; historyEventsMax?: number }): Storage;
  readonly clock: Clock;
  /** Moves the clock. */
  advance(ms: number): Promise<void>;
}

const build =
  (name: string, value = "") =>
  (revision: number): KubeObject => ({
    metadata: { name, resourceVersion: String(revision), annotations: { value } },
  });

const keys = (versions: Iterable<StoredVersion>): string[] => [...versions].map((version) => version.key);

const created = (table: Table, key: string, value = ""): StoredVersion => {
  const version = table.create(key, build(key, value));
  if (version === undefined) throw new Error(`${key} exists`);
  return version;
};

export function describeStorage(name: string, makeSubject: () => StorageSubject): void {
  describe(name, () => {
    it("assigns each write the next revision across all tables", () => {
      const storage = makeSubject().open();
      const first = storage.revision;
      created(storage.table("pods"), "a/x");
      created(storage.table("nodes"), "n");
      expect(storage.revision).toBe(first + 2);
      expect(storage.table("nodes").get("n")?.object.metadata?.resourceVersion).toBe(String(first + 2));
    });

    it("separates tables and lists in key order within a prefix", () => {
      const storage = makeSubject().open();
      const pods = storage.table("pods");
      for (const key of ["b/y", "a-1/z", "a/z", "a/b", "a/a"]) created(pods, key);
      created(storage.table("nodes"), "a/c");
      expect(keys(pods.scan({ prefix: "" }))).toEqual(["a-1/z", "a/a", "a/b", "a/z", "b/y"]);
      expect(keys(pods.scan({ prefix: "a/" }))).toEqual(["a/a", "a/b", "a/z"]);
      expect(keys(pods.scan({ prefix: "a/", from: "a/b" }))).toEqual(["a/b", "a/z"]);
      expect(keys(pods.scan({ prefix: "a/", from: "a/z\0" }))).toEqual([]);
      expect(pods.size).toBe(5);
    });

    it("refuses to create an existing key, and to write over a version that is not the latest", () => {
      const pods = makeSubject().open().table("pods");
      const first = created(pods, "a/x");
      expect(pods.create("a/x", build("x"))).toBeUndefined();
      const second = pods.update(first, build("x", "2")) as StoredVersion;
      expect(pods.update(first, build("x", "3"))).toBeUndefined();
      expect(pods.delete(first, build("x"))).toBeUndefined();
      expect(pods.get("a/x")).toBe(second);
      expect(pods.delete(second, build("x"))?.isDeletion).toBe(true);
      expect(pods.get("a/x")).toBeUndefined();
      expect(pods.update(second, build("x"))).toBeUndefined();
      expect(created(pods, "a/x").previous?.isDeletion).toBe(true);
    });

    it("freezes stored objects", () => {
      const object = created(makeSubject().open().table("pods"), "a/x").object;
      expect(Object.isFrozen(object)).toBe(true);
      expect(Object.isFrozen(object.metadata?.annotations)).toBe(true);
    });

    it("reads the state of any retained revision", () => {
      const storage = makeSubject().open();
      const pods = storage.table("pods");
      const x1 = created(pods, "a/x", "1");
      const afterX = storage.revision;
      const y = created(pods, "a/y");
      pods.update(x1, build("x", "2"));
      const beforeDelete = storage.revision;
      pods.delete(y, build("y"));
      expect(keys(pods.scan({ prefix: "", revision: afterX }))).toEqual(["a/x"]);
      expect(keys(pods.scan({ prefix: "", revision: beforeDelete }))).toEqual(["a/x", "a/y"]);
      expect(keys(pods.scan({ prefix: "", revision: storage.revision }))).toEqual(["a/x"]);
      expect([...pods.scan({ prefix: "", revision: afterX })][0]).toBe(x1);
    });

    it("passes writes to subscribers in order until they leave, and keeps them as history", () => {
      const storage = makeSubject().open();
      const pods = storage.table("pods");
      const seen: number[] = [];
      const start = storage.revision;
      const subscription = pods.subscribe((version) => seen.push(version.revision));
      const x = created(pods, "a/x");
      created(storage.table("nodes"), "n");
      pods.delete(x, build("x"));
      subscription[Symbol.dispose]();
      created(pods, "a/y");
      expect(seen).toEqual([start + 1, start + 3]);
      expect(pods.since(start).map((version) => version.revision)).toEqual([start + 1, start + 3, start + 4]);
      expect(pods.since(start + 1).map((version) => version.isDeletion)).toEqual([true, false]);
    });

    it("compacts to a revision: states from it on stay, deleted keys and replaced versions go", () => {
      const storage = makeSubject().open();
      const pods = storage.table("pods");
      const x1 = created(pods, "a/x", "1");
      const y = created(pods, "a/y");
      const x2 = pods.update(x1, build("x", "2")) as StoredVersion;
      pods.delete(y, build("y"));
      const at = storage.revision;
      const x3 = pods.update(x2, build("x", "3")) as StoredVersion;
      storage.compact(at);
      expect(pods.compactedRevision).toBe(at);
      expect(storage.table("never seen").compactedRevision).toBe(at);
      expect(pods.since(at)).toEqual([x3]);
      expect(x3.previous).toBe(x2);
      expect(x2.previous).toBeUndefined();
      expect([...pods.scan({ prefix: "", revision: at })]).toEqual([x2]);
      expect(() => pods.since(at - 1)).toThrow();
      expect(created(pods, "a/y").previous).toBeUndefined();
    });

    it("expires history by time and by number of events", async () => {
      const subject = makeSubject();
      const storage = subject.open({ historyMs: 60_000, historyEventsMax: 8 });
      const pods = storage.table("pods");
      const early = created(pods, "a/early").revision;
      await subject.advance(61_000);
      created(pods, "a/late");
      expect(pods.compactedRevision).toBeLessThan(early);
      await subject.advance(61_000);
      created(pods, "a/later");
      expect(pods.compactedRevision).toBeGreaterThanOrEqual(early);
      for (let i = 0; i < 100; i++) created(pods, `b/${i}`);
      expect(pods.since(pods.compactedRevision).length).toBeLessThanOrEqual(8);
      expect(pods.size).toBe(103);
    });

    it("agrees with a plain model under random writes, compactions and reads", () => {
      const step = fc.oneof(
        fc.record({ op: fc.constantFrom("create", "update", "delete"), key: fc.integer({ min: 0, max: 12 }) }),
        fc.record({ op: fc.constant("compact"), back: fc.integer({ min: 0, max: 20 }) }),
      );
      fc.assert(
        fc.property(fc.array(step, { maxLength: 120 }), (steps) => checkAgainstModel(makeSubject().open(), steps)),
        { numRuns: 60 },
      );
    });
  });
}

type Step = { op: string; key?: number; back?: number };

/**
 * Runs the steps on a table and on a list of states, one per revision, and compares everything that is still readable.
 */
function checkAgainstModel(storage: Storage, steps: readonly Step[]): void {
  const table = storage.table("things");
  let state = new Map<string, string>();
  const states = new Map<number, Map<string, string>>([[storage.revision, state]]);
  const events: { revision: number; key: string }[] = [];
  for (const { op, key: number = 0, back = 0 } of steps) {
    const key = `ns/${number}`;
    if (op === "compact") {
      storage.compact(storage.revision - back);
      continue;
    }
    const current = table.get(key);
    const value = String(storage.revision + 1);
    const written =
      op === "create"
        ? table.create(key, build(key, value))
        : current &&
          (op === "update" ? table.update(current, build(key, value)) : table.delete(current, build(key, value)));
    expect(written !== undefined).toBe(op === "create" ? !state.has(key) : state.has(key));
    if (written === undefined) continue;
    state = new Map(state);
    if (op === "delete") state.delete(key);
    else state.set(key, value);
    states.set(storage.revision, state);
    events.push({ revision: storage.revision, key });
  }
  for (const [revision, expected] of states) {
    if (revision < table.compactedRevision) continue;
    const listed = [...table.scan({ prefix: "", revision })].map((v) => [v.key, v.object.metadata?.annotations?.value]);
    expect(table.count({ prefix: "", revision })).toBe(expected.size);
    expect(listed).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(table.since(revision).map(({ revision, key }) => ({ revision, key }))).toEqual(
      events.filter((event) => event.revision > revision),
    );
  }
  for (const query of [
    { prefix: "" },
    { prefix: "ns/1" },
    { prefix: "ns/", from: "ns/11" },
    { prefix: "a", from: "ns/" },
  ]) {
    expect(table.count(query)).toBe([...table.scan(query)].length);
  }
  expect(table.size).toBe(state.size);
}
