// How a cache applies the states it receives from any source: never an older state, and each incarnation of an object
// by itself.

import { describe, expect, it } from "vitest";
import { stored } from "#api/testing.ts";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import { Cache, type CacheOptions, type Delta, isOlderVersion } from "#informers/cache.ts";
import { Listener, Listeners } from "#informers/listeners.ts";
import { IndexedStore } from "#informers/store.ts";
import { type Thing, Things } from "#informers/testing.ts";
import { recorder } from "#informers/testing-stage.ts";

function thing(name: string, version: string, uid = name): Thing {
  return stored(Things, {
    metadata: { namespace: "", name, uid, resourceVersion: version },
    spec: { value: Number(version) },
  });
}
const upsert = (object: Thing): Delta<Thing> => ({ type: "upsert", object });
const remove = (object: Thing): Delta<Thing> => ({ type: "delete", object });

function setup(options: Partial<CacheOptions<Thing>> = {}) {
  const store = new IndexedStore<Thing>();
  const heard = recorder();
  const listeners = new Listeners<Thing>((error) => {
    throw error;
  });
  listeners.add(new Listener(heard, 0, 0));
  const cache = new Cache<Thing>({
    store,
    listeners,
    log: noLog,
    isAtomic: true,
    isBatching: true,
    onSynced: () => undefined,
    clock: testClock(),
    name: "things",
    ...options,
  });
  return { cache, store, heard: () => heard.log.splice(0) };
}

describe.each([true, false])("a relist, atomic: %s", (isAtomic) => {
  it("keeps an object that is newer than the list's, unless the server itself went back", () => {
    const { cache, store, heard } = setup({ isAtomic });
    cache.replace([thing("a", "5")], "5", false);
    heard();
    cache.replace([thing("a", "3")], "6", false);
    expect([store.get("a")?.spec?.value, heard()]).toEqual([5, ["update a=5 a=5"]]);
    cache.replace([thing("a", "3")], "3", true);
    expect([store.get("a")?.spec?.value, heard()]).toEqual([3, ["update a=5 a=3"]]);
  });

  it("keeps the very object that has not changed", () => {
    const { cache, store } = setup({ isAtomic });
    const first = thing("a", "5");
    cache.replace([first], "5", false);
    cache.replace([thing("a", "5"), thing("b", "6")], "6", false);
    expect(store.get("a")).toBe(first);
  });

  it("reports another incarnation under the same name and version", () => {
    const { cache, heard } = setup({ isAtomic });
    cache.replace([thing("a", "5", "old")], "5", false);
    heard();
    cache.replace([thing("a", "5", "new")], "5", false);
    expect(heard()).toEqual(["gone a=5", "add a=5"]);
  });
});

describe("changes", () => {
  it.each([
    { what: "an older change", delta: upsert(thing("a", "4")), expected: [] },
    { what: "a repeated change", delta: upsert(thing("a", "5")), expected: [] },
    { what: "an older deletion", delta: remove(thing("a", "4")), expected: [] },
    { what: "a deletion of something unknown", delta: remove(thing("b", "9")), expected: [] },
    { what: "a newer change", delta: upsert(thing("a", "6")), expected: ["update a=5 a=6"] },
    { what: "a deletion with its own version", delta: remove(thing("a", "6")), expected: ["delete a=6"] },
    {
      what: "a deletion with the object's last version",
      delta: remove(thing("a", "5")),
      expected: ["delete a=5"],
    },
    { what: "the deletion of another life", delta: remove(thing("a", "6", "other")), expected: ["gone a=5"] },
    { what: "another life", delta: upsert(thing("a", "6", "other")), expected: ["gone a=5", "add a=6"] },
    { what: "a version that cannot be compared", delta: upsert(thing("a", "x6")), expected: ["update a=5 a=NaN"] },
  ])("$what", ({ delta, expected }) => {
    const { cache, heard } = setup();
    cache.replace([thing("a", "5")], "5", false);
    heard();
    cache.apply([delta]);
    expect(heard()).toEqual(expected);
  });

  it("of one object are delivered one by one, those of several after all are stored", () => {
    const store = new IndexedStore<Thing>();
    const seen: string[] = [];
    const look = (): number => seen.push([...store.values()].map(({ spec }) => spec?.value).join());
    const listeners = new Listeners<Thing>(() => undefined);
    listeners.add(new Listener({ onAdd: look, onUpdate: look }, 0, 0));
    const { cache } = setup({ store, listeners });
    cache.apply(["1", "2"].flatMap((version) => [upsert(thing("a", version)), upsert(thing("b", version))]));
    cache.apply([upsert(thing("a", "3")), upsert(thing("b", "3")), upsert(thing("a", "4"))]);
    expect(seen).toEqual(["1,1", "1,1", "2,2", "2,2", "3,3", "3,3", "4,3"]);
  });

  it("machinery/5.3.7 before any list mean that there is none to wait for, which is reported once", () => {
    let synced = 0;
    const { cache } = setup({ onSynced: () => synced++ });
    cache.apply([upsert(thing("a", "1"))]);
    expect([cache.hasSynced, synced]).toEqual([true, 1]);
    cache.replace([], "2", false);
    expect(synced).toBe(1);
  });
});

it("machinery/5.3.9 the version never goes back, and without AtomicFIFO there is none", () => {
  for (const isAtomic of [true, false]) {
    const { cache } = setup({ isAtomic });
    cache.replace([thing("a", "5")], "5", false);
    cache.apply([upsert(thing("b", "7"))]);
    cache.bookmark("6");
    expect(cache.resourceVersion).toBe(isAtomic ? "7" : "");
    cache.bookmark("8");
    expect(cache.resourceVersion).toBe(isAtomic ? "8" : "");
  }
});

it.each([
  ["4", "5", true],
  ["5", "5", false],
  ["6", "5", false],
  ["9", "10", true],
  ["", "5", false],
  ["5", "", false],
  ["a", "5", false],
  ["5", "a", false],
  [undefined, "5", false],
  ["5", undefined, false],
])("version %s is older than %s: %s", (offered, known, isOlder) => {
  expect(isOlderVersion(offered, known)).toBe(isOlder);
});
