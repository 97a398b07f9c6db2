// The reflector against a server that behaves, and one that does not, on the virtual clock.

import { afterEach, describe, expect, it } from "vitest";
import { TransportError } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { fedStream, jsonResponse, streamResponse } from "#client/testing.ts";
import { type InformerGates, SharedIndexInformer } from "#informers/shared-informer.ts";
import { expired, failure, statusOf, THINGS, type Thing, ThingServer } from "#informers/testing.ts";
import { stripManagedFields } from "#informers/transforms.ts";

const GATES: InformerGates = { WatchListClient: true, AtomicFIFO: true, InOrderInformersBatchProcess: true };
const LIST_GATES: InformerGates = { ...GATES, WatchListClient: false };

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort("test over");
});

function setup(gates: InformerGates = GATES, log: Logger = noLog) {
  const clock = testClock();
  const server = new ThingServer();
  const client = createClient({ transport: server, clock, userAgent: "test" });
  const events: string[] = [];
  const informer = new SharedIndexInformer<Thing>({
    name: "things",
    client: client.resource<Thing>(THINGS),
    clock,
    rng: seededRng("seed"),
    gates,
    log,
    transform: stripManagedFields,
  });
  informer.addHandler({
    onAdd: (object, isInitial) => events.push(`${isInitial ? "initial" : "add"} ${show(object)}`),
    onUpdate: (old, object) => events.push(`update ${show(old)} ${show(object)}`),
    onDelete: (object, isUnknown) => events.push(`${isUnknown ? "gone" : "delete"} ${show(object)}`),
  });
  const stop = new AbortController();
  stops.push(stop);
  const start = () => informer.run(stop.signal);
  const taken = () => events.splice(0);
  const asked = () => server.requests.splice(0);
  return { clock, server, informer, start, stop, taken, asked };
}

function show(object: Thing): string {
  return `${object.metadata?.name}=${object.spec?.value}`;
}

const WATCH_LIST =
  "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true";
const watchListFrom = (version: number) =>
  `allowWatchBookmarks=true&resourceVersion=${version}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=N&watch=true`;
const watchFrom = (version: number) =>
  `allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=N&watch=true`;

describe("initial state", () => {
  it("machinery/5.2.3 streams the list, replaces at the bookmark and keeps the stream", async () => {
    const { server, start, taken, asked, informer, clock } = setup();
    server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.settle();
    expect(taken()).toEqual(["initial a=1", "initial b=2"]);
    expect(informer.hasSynced).toBe(true);
    expect(informer.lastSyncResourceVersion).toBe("12");
    expect(informer.lastStoreSyncResourceVersion).toBe("12");
    server.put("a", 3);
    await clock.settle();
    expect(taken()).toEqual(["update a=1 a=3"]);
    expect(asked()).toEqual([WATCH_LIST]);
  });

  it("machinery/5.2.4 starts over at once when the stream ends before the bookmark", async () => {
    const { server, start, taken, asked, clock } = setup();
    server.put("a", 1);
    server.overrides.push((_request, signal) => {
      const stream = fedStream(signal);
      stream.push(`${JSON.stringify({ type: "ADDED", object: { kind: "Thing", metadata: { name: "ghost" } } })}\n`);
      stream.end();
      return streamResponse(stream);
    });
    void start();
    await clock.settle();
    expect(taken()).toEqual(["initial a=1"]);
    expect(asked()).toEqual([WATCH_LIST, WATCH_LIST]);
  });

  it("machinery/5.2.4 takes an empty stream of less than a second for a server that cannot", async () => {
    const { server, start, taken, asked, clock } = setup();
    server.put("a", 1);
    server.overrides.push((_request, signal) => {
      const stream = fedStream(signal);
      stream.end();
      return streamResponse(stream);
    });
    void start();
    await clock.settle();
    expect(taken()).toEqual(["initial a=1"]);
    expect(asked()).toEqual([WATCH_LIST, "limit=500&resourceVersion=0", watchFrom(11)]);
  });

  it("machinery/5.2.6 says every ten seconds that it still waits for the bookmark", async () => {
    const lines: unknown[] = [];
    const log: Logger = { ...noLog, info: (_message, values) => lines.push(values?.err), v: () => noLog };
    const { server, start, clock } = setup(GATES, log);
    const stream = fedStream();
    server.overrides.push(() => streamResponse(stream));
    void start();
    await clock.advance(10_000);
    expect(lines).toEqual([
      "things: awaiting required bookmark event for initial events stream, no events received for 10s",
    ]);
    stream.push(`${JSON.stringify({ type: "ADDED", object: { kind: "Thing", metadata: { name: "a" } } })}\n`);
    await clock.advance(10_000);
    expect(lines).toHaveLength(1);
    await clock.advance(10_000);
    expect(lines[1]).toBe("things: hasn't received required bookmark event marking the end of initial events stream");
  });

  it.each([
    ["429", () => failure(429, "TooManyRequests", "slow down")],
    [
      "refused",
      () => {
        throw new TransportError("refused", "connection refused");
      },
    ],
  ])("machinery/5.2.5 backs off on %s and streams again", async (_name, responder) => {
    const { server, start, asked, clock, informer } = setup();
    server.overrides.push(responder);
    void start();
    await clock.settle();
    expect(asked()).toEqual([WATCH_LIST]);
    await clock.advance(1600);
    expect(asked()).toEqual([WATCH_LIST]);
    expect(informer.hasSynced).toBe(true);
  });

  it("machinery/5.2.5 falls back to LIST on a server without streaming lists, and asks again next round", async () => {
    const { server, start, asked, clock } = setup();
    server.supportsWatchList = false;
    server.put("a", 1);
    void start();
    await clock.settle();
    expect(asked()).toEqual([WATCH_LIST, "limit=500&resourceVersion=0", watchFrom(11)]);
    server.push("ERROR", statusOf(500, "InternalError", "boom"));
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(11), "resourceVersion=11", watchFrom(11)]);
  });

  it("machinery/5.2.5 asks for the newest when the last version is too large or expired", async () => {
    const { server, start, asked, clock, informer } = setup();
    void start();
    await clock.settle();
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    server.overrides.push(() => expired("too old"));
    await clock.advance(1600);
    expect(asked()).toEqual([WATCH_LIST, watchListFrom(10), WATCH_LIST]);
    expect(informer.lastSyncResourceVersion).toBe("10");
  });

  it("machinery/5.2.7 lists in pages of 500, and later pages carry only token and limit", async () => {
    const { server, start, asked, clock, informer } = setup(LIST_GATES);
    for (let i = 0; i < 1200; i++) server.put(`t${i}`, i);
    void start();
    await clock.settle();
    expect(informer.store.size).toBe(1200);
    const [first, second, third, watch] = asked();
    expect(first).toBe("limit=500&resourceVersion=0");
    expect(second).toMatch(/^continue=token-[^&]*&limit=500$/);
    expect(third).toMatch(/^continue=token-[^&]*&limit=500$/);
    expect(watch).toBe(watchFrom(1210));
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    await clock.advance(1600);
    expect(asked()[0]).toBe("limit=500&resourceVersion=1210");
  });

  it("machinery/5.2.7 asks for a definite version without a limit unless the first list was paged", async () => {
    const { server, start, asked, clock } = setup(LIST_GATES);
    void start();
    await clock.settle();
    server.push("ERROR", statusOf(410, "Gone", "too old"));
    await clock.advance(1600);
    expect(asked()).toEqual(["limit=500&resourceVersion=0", watchFrom(10), "resourceVersion=10", watchFrom(10)]);
  });

  it("machinery/5.2.7 makes one unpaged list when a continue token expires", async () => {
    const { server, start, asked, clock, informer } = setup(LIST_GATES);
    for (let i = 0; i < 700; i++) server.put(`t${i}`, i);
    server.overrides.push(undefined, () => expired("continue token too old"));
    void start();
    await clock.settle();
    const [, second, third] = asked();
    expect(second).toMatch(/^continue=/);
    expect(third).toBe("resourceVersion=0");
    expect(informer.store.size).toBe(700);
  });

  it("machinery/5.2.7 lists the newest at once when the version expired, and refuses Tables", async () => {
    const { server, start, asked, clock, informer } = setup(LIST_GATES);
    server.overrides.push(
      () => expired("too old"),
      () => jsonResponse({ apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: {}, rows: [] }),
    );
    void start();
    await clock.settle();
    expect(asked()).toEqual(["limit=500&resourceVersion=0", "limit=500"]);
    expect(informer.hasSynced).toBe(false);
    await clock.advance(1600);
    expect(informer.hasSynced).toBe(true);
  });
});

describe("backoff", () => {
  it("machinery/5.2.1 doubles from 0.8 s with jitter up to 30 s", async () => {
    const { server, start, clock } = setup(LIST_GATES);
    const times: number[] = [];
    for (let i = 0; i < 8; i++) {
      server.overrides.push(() => {
        times.push(clock.monotonicMs());
        return failure(500, "InternalError", "boom");
      });
    }
    void start();
    await clock.advance(110_000);
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    const bases = [800, 1600, 3200, 6400, 12_800, 25_600];
    gaps.slice(0, 6).forEach((gap, i) => {
      expect(gap).toBeGreaterThanOrEqual(bases[i] ?? 0);
      expect(gap).toBeLessThan(2 * (bases[i] ?? 0));
    });
  });

  it("machinery/5.2.2 starts again two minutes after it last started, under a lasting outage", async () => {
    const { server, start, clock } = setup(LIST_GATES);
    const times: number[] = [];
    server.overrides.push(
      ...Array.from({ length: 60 }, () => () => {
        times.push(clock.monotonicMs());
        return failure(500, "InternalError", "boom");
      }),
    );
    void start();
    await clock.advance(600_000);
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    const restarts = gaps.filter((gap) => gap < 1600).length;
    expect(restarts).toBeGreaterThanOrEqual(3);
    expect(restarts).toBeLessThanOrEqual(5);
  });
});

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
