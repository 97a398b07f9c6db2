// How a reflector follows the server: reopening, expiry, silence, and never going backwards.

import { afterEach, describe, expect, it } from "vitest";
import { type Logger, noLog } from "#base/log.ts";
import { jsonResponse } from "#client/testing.ts";
import { DEFAULT_GATES, type InformerGates } from "#informers/shared-informer.ts";
import { failure, statusOf } from "#informers/testing.ts";
import { stageInformer } from "#informers/testing-stage.ts";

const LIST_GATES: InformerGates = { ...DEFAULT_GATES, WatchListClient: false };

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort("test over");
});

function setup(gates: InformerGates = DEFAULT_GATES, log: Logger = noLog) {
  const stage = stageInformer({ gates, log });
  stops.push(stage.stop);
  return { ...stage, taken: stage.heard, start: () => stage.informer.run(stage.stop.signal) };
}

const WATCH_LIST =
  "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=T&timeoutSeconds=N&watch=true";
const watchListFrom = (version: number) =>
  `allowWatchBookmarks=true&resourceVersion=${version}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=T&timeoutSeconds=N&watch=true`;
const watchFrom = (version: number) =>
  `allowWatchBookmarks=true&resourceVersion=${version}&timeout=T&timeoutSeconds=N&watch=true`;

describe("watching", () => {
  it("machinery/5.2.8 waits on 429 and reopens at the same version; any other refusal lists again", async () => {
    const { server, start, asked, clock } = setup();
    void start();
    await clock.advance(2000);
    asked();
    server.overrides.push(() => failure(429, "TooManyRequests", "busy"));
    server.endStreams();
    await clock.settle();
    expect(asked()).toEqual([watchFrom(10)]);
    await clock.advance(1600);
    expect(asked()).toEqual([watchFrom(10)]);
    server.overrides.push(() => failure(403, "Forbidden", "no"));
    await clock.advance(2000);
    server.endStreams();
    await clock.advance(3200);
    expect(asked()).toEqual([watchFrom(10), watchListFrom(10)]);
  });

  it("machinery/5.2.9 lists from the last version after an expiry, not from nothing", async () => {
    const { server, start, asked, clock, taken } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    asked();
    server.push("ERROR", statusOf(410, "Expired", "too old resource version"));
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(11)]);
    expect(taken()).toEqual(["initial a=1", "update a=1 a=1"]);
  });

  it("machinery/5.2.9 takes over what came before the ERROR, also in one piece with it", async () => {
    const { server, start, asked, clock, taken } = setup();
    const a = server.put("a", 1);
    void start();
    await clock.settle();
    asked();
    const changed = { ...a, metadata: { ...a.metadata, resourceVersion: "12" }, spec: { value: 2 } };
    const lines = [
      { type: "MODIFIED", object: changed },
      { type: "ERROR", object: statusOf(410, "Expired", "too old resource version") },
    ];
    for (const { stream } of server.streams) stream.push(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await clock.settle();
    expect(taken()).toEqual(["initial a=1", "update a=1 a=2"]);
    server.revision = 12;
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(12)]);
  });

  it("machinery/5.2.9 watches again after an ERROR of 429", async () => {
    const { server, start, asked, clock } = setup();
    void start();
    await clock.settle();
    asked();
    server.push("ERROR", statusOf(429, "TooManyRequests", "busy"));
    await clock.advance(1600);
    expect(asked()).toEqual([watchFrom(10)]);
  });

  it("machinery/5.2.10 skips foreign kinds and Tables without moving on, and unknown types with", async () => {
    const { server, start, clock, informer, taken } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    taken();
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    server.push("ADDED", { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "51" } });
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("11");
    server.push("PROMOTED", { kind: "Thing", metadata: { name: "a", resourceVersion: "12" } });
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("12");
    expect(taken()).toEqual([]);
  });

  it("machinery/5.2.10 knows its kind from the list, and takes no object without metadata", async () => {
    const { server, start, clock, informer, taken } = setup(LIST_GATES);
    void start();
    await clock.settle();
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    server.push("ADDED", { kind: "Thing" });
    server.push("ADDED", { kind: "Table", apiVersion: "example.com/v1", metadata: { name: "t" } });
    await clock.settle();
    expect([taken(), informer.lastSyncResourceVersion]).toEqual([[], "10"]);
    server.put("a", 1);
    await clock.settle();
    expect(taken()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.10 a list of no definite kind takes the kind of the first event", async () => {
    const { server, start, clock, taken } = setup(LIST_GATES);
    server.overrides.push(() => jsonResponse({ kind: "Things", metadata: { resourceVersion: "10" }, items: [] }));
    void start();
    await clock.settle();
    server.put("a", 1);
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    await clock.settle();
    expect(taken()).toEqual(["add a=1"]);
  });

  it.each(["", "0"])(
    "machinery/5.2.11 from version %j, additions do not move on before another event",
    async (from) => {
      const { server, start, clock, informer, taken } = setup(LIST_GATES);
      server.put("b", 2);
      server.put("a", 1);
      server.overrides.push(() => jsonResponse({ kind: "ThingList", metadata: { resourceVersion: from }, items: [] }));
      void start();
      await clock.settle();
      expect(taken()).toEqual(["add b=2", "add a=1"]);
      expect(informer.lastSyncResourceVersion).toBe(from);
      server.put("b", 3);
      await clock.settle();
      expect([taken(), informer.lastSyncResourceVersion]).toEqual([["update b=2 b=3"], "13"]);
      server.put("c", 4);
      await clock.settle();
      expect([taken(), informer.lastSyncResourceVersion]).toEqual([["add c=4"], "14"]);
    },
  );

  it("machinery/5.2.11 advances by bookmarks, which nobody hears of", async () => {
    const { server, start, clock, informer, taken } = setup();
    void start();
    await clock.settle();
    server.revision = 40;
    server.bookmark();
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("40");
    expect(informer.lastStoreSyncResourceVersion).toBe("40");
    expect(taken()).toEqual([]);
  });

  it("machinery/5.2.12 takes 150 s of silence after a bookmark for death and reopens where it was", async () => {
    const { server, start, asked, clock, taken } = setup();
    void start();
    await clock.settle();
    server.stall();
    server.put("a", 1);
    await clock.advance(149_000);
    expect(asked()).toEqual([WATCH_LIST]);
    await clock.advance(2000);
    expect(asked()).toEqual([watchFrom(10)]);
    expect(taken()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.12 counts the silence from the last word, and any bookmark begins to count", async () => {
    const { server, start, asked, clock } = setup(LIST_GATES);
    void start();
    await clock.advance(10_000);
    server.bookmark();
    await clock.advance(100_000);
    server.put("a", 1);
    await clock.settle();
    server.stall();
    asked();
    await clock.advance(149_000);
    expect(asked()).toEqual([]);
    await clock.advance(2000);
    expect(asked()).toEqual([watchFrom(11)]);
  });

  it("machinery/5.2.12 lets a stream that never sent a bookmark be silent until its time is up", async () => {
    const { server, start, asked, clock, taken } = setup(LIST_GATES);
    void start();
    await clock.settle();
    server.stall();
    server.put("a", 1);
    asked();
    await clock.advance(299_000);
    expect(asked()).toEqual([]);
    await clock.advance(340_000);
    expect(asked()).toEqual([watchFrom(10)]);
    expect(taken()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.12 does not wait for ever for an answer to a watch", async () => {
    const { server, start, asked, clock, taken } = setup();
    void start();
    await clock.advance(2000);
    server.overrides.push(
      (_request, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    server.endStreams();
    server.put("a", 1);
    await clock.advance(320_000);
    expect(taken()).toEqual([]);
    await clock.advance(320_000);
    expect(taken()).toEqual(["add a=1"]);
    expect(asked().slice(0, 3)).toEqual([WATCH_LIST, watchFrom(10), watchListFrom(10)]);
  });

  it.each(["ended", "cut", "cut in a line"])("machinery/5.2.13 reopens a stream that was %s at once", async (how) => {
    const { server, start, asked, clock, taken } = setup();
    void start();
    await clock.advance(5000);
    asked();
    if (how === "ended") server.endStreams();
    else server.cutStreams(how === "cut in a line");
    server.put("a", 1);
    await clock.settle();
    expect(asked()).toEqual([watchFrom(10)]);
    expect(taken()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.13 lists again, after a wait, when a stream ends within a second with nothing said", async () => {
    const { server, start, asked, clock } = setup();
    void start();
    await clock.settle();
    asked();
    server.endStreams();
    await clock.settle();
    expect(asked()).toEqual([]);
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(10)]);
  });

  it("machinery/5.2.13 reopens a stream of less than a second that said something", async () => {
    const { server, start, asked, clock } = setup();
    void start();
    await clock.settle();
    asked();
    server.put("a", 1);
    await clock.settle();
    server.endStreams();
    await clock.settle();
    expect(asked()).toEqual([watchFrom(11)]);
    server.endStreams();
    await clock.settle();
    expect(asked()).toEqual([]);
  });

  it("machinery/5.2.15 ends with its signal, leaving no timer, stream or listener behind", async () => {
    const { server, start, stop, clock } = setup();
    const ended = start();
    await clock.settle();
    expect(server.streams.size).toBe(1);
    stop.abort("enough");
    await ended;
    expect(server.streams.size).toBe(0);
    expect(clock.pendingCount).toBe(0);
  });
});

describe("never backwards", () => {
  it("refuses a list older than what was seen, and recovers", async () => {
    const { server, start, clock, taken, informer } = setup(LIST_GATES);
    server.put("a", 1);
    const old = server.list(new URLSearchParams());
    void start();
    await clock.settle();
    server.put("a", 2);
    await clock.settle();
    taken();
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    server.overrides.push(() => old);
    await clock.advance(1600);
    expect(taken()).toEqual([]);
    expect(informer.lastSyncResourceVersion).toBe("12");
    await clock.advance(3200);
    expect(informer.store.get("ns/a")?.spec?.value).toBe(2);
    expect(taken()).toEqual(["update a=2 a=2"]);
  });

  it("ignores events from before, even of objects that are gone", async () => {
    const { server, start, clock, taken, informer } = setup();
    const first = server.put("a", 1);
    server.put("b", 1);
    void start();
    await clock.settle();
    server.remove("b");
    server.put("a", 2);
    await clock.settle();
    taken();
    server.push("MODIFIED", first);
    server.push("ADDED", { ...first, metadata: { ...first.metadata, name: "b" } });
    await clock.settle();
    expect(taken()).toEqual([]);
    expect([...informer.store.keys()]).toEqual(["ns/a"]);
  });

  it("takes a deletion without a version of its own, and stays where it was", async () => {
    const { server, start, clock, taken, informer } = setup();
    const a = server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.settle();
    taken();
    server.push("DELETED", a);
    await clock.settle();
    expect([taken(), informer.lastSyncResourceVersion]).toEqual([["delete a=1"], "12"]);
  });

  it("gives up a stream whose bookmark goes back, and lists anew", async () => {
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
    const { server, start, clock, taken, informer } = setup();
    server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.advance(5000);
    taken();
    server.restore(5);
    server.put("c", 3);
    await clock.settle();
    server.bookmark();
    await clock.advance(10_000);
    expect(taken()).toEqual(["gone a=1", "gone b=2", "add c=3"]);
    expect(informer.lastStoreSyncResourceVersion).toBe("6");
  });

  it("tells a recreated object as deleted and added, in a watch and in a relist", async () => {
    const { server, start, clock, taken } = setup();
    server.put("a", 1);
    void start();
    await clock.advance(5000);
    taken();
    server.stall();
    server.remove("a");
    server.put("a", 2);
    server.compact();
    server.cutStreams();
    await clock.advance(5000);
    expect(taken()).toEqual(["gone a=1", "add a=2"]);
  });
});
