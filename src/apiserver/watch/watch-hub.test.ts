import { expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import type { Selection } from "../selection.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { WatchHub } from "./watch-hub.ts";
import { Watcher } from "./watcher.ts";

const object = (revision: number) => ({ metadata: { name: "x", resourceVersion: String(revision) } });
const watcher = (matches: () => boolean, field?: string): Watcher => {
  const selection = { key: undefined, namespace: "", prefix: "", requiredField: () => field, matches };
  return new Watcher(selection as unknown as Selection, false, 0, 100);
};
const broken = (): never => {
  throw new Error("boom");
};

it("a watcher that fails is closed, and later ones get their event", () => {
  const errors: unknown[] = [];
  const storage = new MemoryStorage({ clock: testClock() });
  storage.onListenerError = (error) => errors.push(error);
  const table = storage.table("pods");
  const hub = new WatchHub(table);
  const watchers = [watcher(() => true), watcher(broken), watcher(() => true)];
  for (const one of watchers) hub.add(one);
  expect(table.create("a/x", object)).toBeDefined();
  expect(watchers.map((one) => [one.isClosed, one.take(10).length])).toEqual([
    [false, 1],
    [true, 0],
    [false, 1],
  ]);
  expect(errors).toEqual([new Error("boom")]);
});

it("an error in an indexed field closes only the watchers of that field", () => {
  const storage = new MemoryStorage({ clock: testClock() });
  const table = storage.table("pods");
  const hub = new WatchHub(table, "spec.nodeName", broken);
  const watchers = [watcher(() => true), watcher(() => true, "node-1")];
  for (const one of watchers) hub.add(one);
  expect(table.create("a/x", object)).toBeDefined();
  expect(watchers.map((one) => [one.isClosed, one.take(10).length])).toEqual([
    [false, 1],
    [true, 0],
  ]);
});
