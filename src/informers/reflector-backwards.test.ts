// A reflector never goes back to an older state, unless the server itself was restored.

import { describe, expect, it } from "vitest";
import { statusOf } from "#informers/testing.ts";
import { LIST_GATES, stageInformer as setup, watchListFrom } from "#informers/testing-stage.ts";

describe("never backwards", () => {
  it("refuses a list older than what was seen, and recovers", async () => {
    const { server, start, clock, heard, informer } = setup({ gates: LIST_GATES });
    server.put("a", 1);
    const old = server.list(new URLSearchParams());
    void start();
    await clock.settle();
    server.put("a", 2);
    await clock.settle();
    heard();
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    server.overrides.push(() => old);
    await clock.advance(1600);
    expect(heard()).toEqual([]);
    expect(informer.lastSyncResourceVersion).toBe("12");
    await clock.advance(3200);
    expect(informer.store.get("ns/a")?.spec?.value).toBe(2);
    expect(heard()).toEqual(["update a=2 a=2"]);
  });

  it("ignores events from before, even of objects that are gone", async () => {
    const { server, start, clock, heard, informer } = setup();
    const first = server.put("a", 1);
    server.put("b", 1);
    void start();
    await clock.settle();
    server.remove("b");
    server.put("a", 2);
    await clock.settle();
    heard();
    server.push("MODIFIED", first);
    server.push("ADDED", { ...first, metadata: { ...first.metadata, name: "b" } });
    await clock.settle();
    expect(heard()).toEqual([]);
    expect([...informer.store.keys()]).toEqual(["ns/a"]);
  });

  it("accepts a deletion without a new version, and keeps its position", async () => {
    const { server, start, clock, heard, informer } = setup();
    const a = server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.settle();
    heard();
    server.push("DELETED", a);
    await clock.settle();
    expect([heard(), informer.lastSyncResourceVersion]).toEqual([["delete a=1"], "12"]);
  });

  it("gives up a stream whose bookmark goes back, and lists again", async () => {
    const { server, start, clock, asked, informer } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    asked();
    server.push("BOOKMARK", { kind: "Thing", metadata: { resourceVersion: "4" } });
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(11)]);
    expect(informer.lastStoreSyncResourceVersion).toBe("11");
  });

  it("follows a server that was restored from a backup", async () => {
    const { server, start, clock, heard, informer } = setup();
    server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.advance(5000);
    heard();
    server.restore(5);
    server.put("c", 3);
    await clock.settle();
    server.bookmark();
    await clock.advance(10_000);
    expect(heard()).toEqual(["gone a=1", "gone b=2", "add c=3"]);
    expect(informer.lastStoreSyncResourceVersion).toBe("6");
  });

  it("reports a recreated object as deleted and added, in a watch and in a relist", async () => {
    const { server, start, clock, heard } = setup();
    server.put("a", 1);
    void start();
    await clock.advance(5000);
    heard();
    server.stall();
    server.remove("a");
    server.put("a", 2);
    server.compact();
    server.cutStreams();
    await clock.advance(5000);
    expect(heard()).toEqual(["gone a=1", "add a=2"]);
  });
});
