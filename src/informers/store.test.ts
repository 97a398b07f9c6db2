// The store's objects, its indexes, and the atomicity of its changes.

import { describe, expect, it } from "vitest";
import { nothing, selectorFromSet } from "#api/label-selector.ts";
import type { Thing } from "#informers/testing.ts";
import { stageInformer as setup } from "#informers/testing-stage.ts";

function added(name: string, version: number): unknown {
  const metadata = { name, namespace: "ns", uid: name, resourceVersion: String(version) };
  return { type: "ADDED", object: { kind: "Thing", metadata, spec: { value: version } } };
}

describe("store", () => {
  it("machinery/5.5.1 has a namespace index, takes more at any time, and refuses a name twice", async () => {
    const { server, informer, stop, clock } = setup();
    server.put("a", 1, "x");
    server.put("b", 2, "y");
    const ended = informer.run(stop.signal);
    await clock.settle();
    informer.addIndexers({ value: (thing) => [String(thing.spec?.value), "all"] });
    expect(informer.store.byIndex("value", "2").map((thing) => thing.metadata?.name)).toEqual(["b"]);
    expect(informer.store.keysByIndex("namespace", "x")).toEqual(["x/a"]);
    expect(informer.store.hasIndex("value")).toBe(true);
    server.put("b", 1, "y");
    server.remove("a", "x");
    await clock.settle();
    expect(informer.store.indexValues("value").toSorted()).toEqual(["1", "all"]);
    expect(informer.store.keysByIndex("value", "all")).toEqual(["y/b"]);
    expect(() => informer.addIndexers({ value: () => [] })).toThrow("indexer conflict");
    expect(() => informer.store.byIndex("none", "")).toThrow("Index with name none does not exist");
    stop.abort();
    await ended;
    expect(() => informer.addIndexers({ late: () => [] })).toThrow("has stopped already");
  });

  it("machinery/5.3.5, workloads/S29 replaces store, indexes and version at once, then reports deletions first", async () => {
    const { server, informer, stop, clock } = setup();
    server.put("a", 1);
    server.put("b", 1);
    void informer.run(stop.signal);
    await clock.advance(5000);
    const seen: unknown[] = [];
    const look = (what: string) => seen.push([what, [...informer.store.keys()], informer.lastStoreSyncResourceVersion]);
    informer.addHandler({
      onAdd: (thing, isInitial) => isInitial || look(`add ${thing.metadata?.name}`),
      onUpdate: (_old, thing) => look(`update ${thing.metadata?.name}`),
      onDelete: (thing) => look(`delete ${thing.metadata?.name}`),
    });
    await clock.settle();
    server.stall();
    server.remove("a");
    server.put("b", 2);
    server.put("c", 3);
    server.compact();
    server.cutStreams();
    await clock.advance(5000);
    const after = [["ns/b", "ns/c"], "15"];
    expect(seen).toEqual([
      ["delete a", ...after],
      ["update b", ...after],
      ["add c", ...after],
    ]);
    stop.abort();
  });

  it("machinery/5.3.5 without AtomicFIFO relists piece by piece and has no store version", async () => {
    const gates = { WatchListClient: true, AtomicFIFO: false, InOrderInformersBatchProcess: true };
    const { server, informer, stop, clock } = setup({ gates });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.advance(5000);
    const seen: unknown[] = [];
    informer.addHandler({ onDelete: () => seen.push([...informer.store.keys()]) });
    server.stall();
    server.remove("a");
    server.put("c", 3);
    server.compact();
    server.cutStreams();
    await clock.advance(5000);
    expect(seen).toEqual([[]]);
    expect([...informer.store.keys()]).toEqual(["ns/c"]);
    expect(informer.lastStoreSyncResourceVersion).toBe("");
    expect(informer.lastSyncResourceVersion).toBe("13");
    stop.abort();
  });

  it("machinery/5.1.r3 applies every change by itself without InOrderInformersBatchProcess", async () => {
    const gates = { WatchListClient: true, AtomicFIFO: true, InOrderInformersBatchProcess: false };
    const { server, informer, stop, clock } = setup({ gates });
    void informer.run(stop.signal);
    await clock.settle();
    const sizes: number[] = [];
    informer.addHandler({ onAdd: () => sizes.push(informer.store.size) });
    const [open] = server.streams;
    open?.stream.push(["a", "b"].map((name, i) => `${JSON.stringify(added(name, 20 + i))}\n`).join(""));
    await clock.settle();
    expect(sizes).toEqual([1, 2]);
    stop.abort();
  });

  it("machinery/5.3.4 reads no further while a handler runs: there is no queue to grow", async () => {
    const { server, informer, stop, clock } = setup();
    void informer.run(stop.signal);
    await clock.settle();
    const seen: string[] = [];
    informer.addHandler({
      onAdd: (thing) => {
        seen.push(`${thing.metadata?.name} at ${informer.lastSyncResourceVersion}`);
      },
    });
    server.put("a", 1);
    server.put("b", 2);
    await clock.settle();
    expect(seen).toEqual(["a at 10", "b at 11"]);
    stop.abort();
  });

  it("machinery/5.3.2 keeps changes, relists, resyncs and bookmarks in the order they came", async () => {
    const { server, informer, stop, clock } = setup();
    const log: string[] = [];
    informer.addHandler({
      onAdd: (thing) => log.push(`add ${thing.metadata?.name} ${informer.lastStoreSyncResourceVersion}`),
      onUpdate: (_old, thing) => log.push(`update ${thing.metadata?.name} ${informer.lastStoreSyncResourceVersion}`),
    });
    void informer.run(stop.signal);
    await clock.settle();
    const [open] = server.streams;
    const bookmark = { type: "BOOKMARK", object: { kind: "Thing", metadata: { resourceVersion: "30" } } };
    const lines = [added("a", 20), bookmark, added("b", 40)].map((event) => `${JSON.stringify(event)}\n`);
    open?.stream.push(lines.join(""));
    await clock.settle();
    expect(log).toEqual(["add a 20", "add b 40"]);
    expect(informer.lastStoreSyncResourceVersion).toBe("40");
    stop.abort();
  });

  it("machinery/5.3.3 applies changes of different objects together, but never two of one", async () => {
    const { server, informer, stop, clock } = setup();
    void informer.run(stop.signal);
    await clock.settle();
    const seen: unknown[] = [];
    const look = (thing: Thing) =>
      seen.push([thing.metadata?.name, thing.spec?.value, [...informer.store.values()].map((t) => t.spec?.value)]);
    informer.addHandler({ onAdd: look, onUpdate: (_old, thing) => look(thing) });
    const [open] = server.streams;
    const lines = ["a", "b", "a"].map((name, i) =>
      JSON.stringify({
        type: i === 2 ? "MODIFIED" : "ADDED",
        object: {
          kind: "Thing",
          metadata: { name, namespace: "ns", uid: name, resourceVersion: `${20 + i}` },
          spec: { value: i },
        },
      }),
    );
    open?.stream.push(`${lines.join("\n")}\n`);
    await clock.settle();
    expect(seen).toEqual([
      ["a", 0, [0, 1]],
      ["b", 1, [0, 1]],
      ["a", 2, [2, 1]],
    ]);
    stop.abort();
  });

  it("machinery/5.3.8 transforms what it keeps, and a transform that fails costs one event", async () => {
    const { server, informer, stop, clock } = setup();
    informer.setTransform((thing) => {
      if (thing.spec?.value === 13) throw new Error("unlucky");
      return { ...thing, spec: { value: (thing.spec?.value ?? 0) * 10 } };
    });
    server.put("a", 1);
    void informer.run(stop.signal);
    await clock.settle();
    server.put("b", 13);
    server.put("c", 2);
    await clock.settle();
    expect([...informer.store.values()].map((thing) => thing.spec?.value)).toEqual([10, 20]);
    expect(() => informer.setTransform((thing) => thing)).toThrow("already started");
    stop.abort();
  });

  it("machinery/5.3.9 follows the stream: writes, deletions and bookmarks move the store's version", async () => {
    const { server, informer, stop, clock } = setup();
    void informer.run(stop.signal);
    await clock.settle();
    const versions: string[] = [];
    for (const change of [() => server.put("a", 1), () => server.remove("a"), () => ++server.revision]) {
      change();
      server.bookmark();
      await clock.settle();
      versions.push(informer.lastStoreSyncResourceVersion);
    }
    expect(versions).toEqual(["11", "12", "13"]);
    stop.abort();
  });

  it("workloads/S29 each change moves the store's version before handlers see it, and so does a bookmark", async () => {
    const { server, informer, stop, clock } = setup();
    const seen: string[] = [];
    const look = (what: string) =>
      seen.push(`${what}: ${[...informer.store.keys()]} at ${informer.lastStoreSyncResourceVersion}`);
    informer.addHandler({
      onAdd: () => look("added"),
      onUpdate: () => look("updated"),
      onDelete: ({ metadata }) => look(`deleted at ${metadata?.resourceVersion}`),
    });
    void informer.run(stop.signal);
    await clock.settle();
    for (const change of [() => server.put("a", 1), () => server.put("a", 2), () => server.remove("a")]) {
      change();
      await clock.settle();
    }
    expect(seen).toEqual(["added: ns/a at 11", "updated: ns/a at 12", "deleted at 13:  at 13"]);
    server.revision++;
    server.bookmark();
    await clock.settle();
    expect(informer.lastStoreSyncResourceVersion).toBe("14");
    stop.abort();
  });

  it("machinery/5.5.13 lists by namespace and labels, and reports a missing object as NotFound", async () => {
    const { server, informer, stop, clock } = setup();
    server.put("a", 1, "x");
    server.put("b", 2, "y");
    void informer.run(stop.signal);
    await clock.settle();
    expect(informer.lister.list(undefined, "y").map((thing) => thing.metadata?.name)).toEqual(["b"]);
    expect(informer.lister.list(selectorFromSet({ app: "web" }))).toEqual([]);
    expect(informer.lister.list(nothing)).toEqual([]);
    expect(informer.lister.list()).toHaveLength(2);
    expect(() => informer.lister.require("x/z")).toThrow('things.example.com "z" not found');
    stop.abort();
  });
});
