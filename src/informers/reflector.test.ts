// How a reflector gets the whole state from correct and faulty servers, on the virtual clock.

import { describe, expect, it } from "vitest";
import { TransportError } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { fedStream, jsonResponse, streamResponse } from "#client/testing.ts";
import { DEFAULT_GATES } from "#informers/shared-informer.ts";
import { expired, failure, statusOf } from "#informers/testing.ts";
import { LIST_GATES, stageInformer as setup, WATCH_LIST, watchFrom, watchListFrom } from "#informers/testing-stage.ts";

describe("initial state", () => {
  it("machinery/5.2.3 streams the list, replaces at the bookmark and keeps the stream", async () => {
    const { server, start, heard, asked, informer, clock } = setup();
    server.put("a", 1);
    server.put("b", 2);
    void start();
    await clock.settle();
    expect(heard()).toEqual(["initial a=1", "initial b=2"]);
    expect(informer.hasSynced).toBe(true);
    expect(informer.lastSyncResourceVersion).toBe("12");
    expect(informer.lastStoreSyncResourceVersion).toBe("12");
    server.put("a", 3);
    await clock.settle();
    expect(heard()).toEqual(["update a=1 a=3"]);
    expect(asked()).toEqual([WATCH_LIST]);
  });

  it("machinery/5.2.4 starts over at once when the stream ends before the bookmark", async () => {
    const { server, start, heard, asked, clock } = setup();
    server.put("a", 1);
    server.overrides.push((_request, signal) => {
      const stream = fedStream(signal);
      stream.push(`${JSON.stringify({ type: "ADDED", object: { kind: "Thing", metadata: { name: "ghost" } } })}\n`);
      stream.end();
      return streamResponse(stream);
    });
    void start();
    await clock.settle();
    expect(heard()).toEqual(["initial a=1"]);
    expect(asked()).toEqual([WATCH_LIST, WATCH_LIST]);
  });

  it("machinery/5.2.4 starts over at once when an empty stream lasted", async () => {
    const { server, start, asked, clock } = setup();
    const stream = fedStream();
    server.overrides.push(() => streamResponse(stream));
    void start();
    await clock.advance(1000);
    stream.end();
    await clock.settle();
    expect(asked()).toEqual([WATCH_LIST, WATCH_LIST]);
  });

  it("machinery/5.2.4 takes an empty stream of less than a second for a server that cannot", async () => {
    const { server, start, heard, asked, clock } = setup();
    server.put("a", 1);
    server.overrides.push((_request, signal) => {
      const stream = fedStream(signal);
      stream.end();
      return streamResponse(stream);
    });
    void start();
    await clock.settle();
    expect(heard()).toEqual(["initial a=1"]);
    expect(asked()).toEqual([WATCH_LIST, "limit=500&resourceVersion=0", watchFrom(11)]);
  });

  it("machinery/5.2.6 says every ten seconds that it still waits for the bookmark", async () => {
    const lines: unknown[] = [];
    const log: Logger = { ...noLog, info: (_message, values) => lines.push(values?.err), v: () => noLog };
    const { server, start, clock } = setup({ log: log });
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

  it.each([
    ["410 goes on at once, from whatever is newest", 410, "Expired", [], [WATCH_LIST]],
    ["429 waits and streams again", 429, "TooManyRequests", [WATCH_LIST], []],
    ["500 lists", 500, "InternalError", [], ["limit=500&resourceVersion=0", watchFrom(11)]],
  ] as const)(
    "machinery/5.2.5 an ERROR in the middle of the streamed list: %s",
    async (_, code, reason, later, now) => {
      const { server, start, asked, clock, heard, informer } = setup();
      const a = server.put("a", 1);
      const stream = fedStream();
      server.overrides.push(() => streamResponse(stream));
      void start();
      await clock.settle();
      const half = { ...a, metadata: { ...a.metadata, name: "half" } };
      stream.push(`${JSON.stringify({ type: "ADDED", object: half })}\n`);
      stream.push(`${JSON.stringify({ type: "ERROR", object: statusOf(code, reason, "no") })}\n`);
      await clock.settle();
      expect(asked()).toEqual([WATCH_LIST, ...now]);
      await clock.advance(1600);
      expect(asked()).toEqual([...later]);
      expect([heard(), informer.hasSynced, server.streams.size]).toEqual([["initial a=1"], true, 1]);
    },
  );

  it("machinery/5.2.5 releases the connection of a failed stream", async () => {
    const { server, start, clock } = setup();
    let isFreed = false;
    server.overrides.push((_request, signal) => {
      signal.addEventListener("abort", () => {
        isFreed = true;
      });
      const stream = fedStream(signal);
      stream.push(`${JSON.stringify({ type: "ERROR", object: statusOf(500, "InternalError", "no") })}\n`);
      return streamResponse(stream);
    });
    void start();
    await clock.settle();
    expect(isFreed).toBe(true);
  });

  it("machinery/5.2.5 refuses a streamed list older than what was seen, and lists", async () => {
    const { server, start, asked, clock, heard } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    heard();
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    const old = fedStream();
    const metadata = { resourceVersion: "4", annotations: { "k8s.io/initial-events-end": "true" } };
    old.push(`${JSON.stringify({ type: "BOOKMARK", object: { kind: "Thing", metadata } })}\n`);
    server.overrides.push(() => streamResponse(old));
    asked();
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(11), "resourceVersion=11", watchFrom(11)]);
    expect(heard()).toEqual(["update a=1 a=1"]);
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
    server.push("ERROR", statusOf(410, "Expired", "too old"));
    await clock.advance(3200);
    expect(asked()).toEqual([watchListFrom(10)]);
  });

  it("machinery/5.2.7 lists in pages of 500, and later pages carry only token and limit", async () => {
    const { server, start, asked, clock, informer } = setup({ gates: LIST_GATES });
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
    const { server, start, asked, clock } = setup({ gates: LIST_GATES });
    void start();
    await clock.settle();
    server.push("ERROR", statusOf(410, "Gone", "too old"));
    await clock.advance(1600);
    expect(asked()).toEqual(["limit=500&resourceVersion=0", watchFrom(10), "resourceVersion=10", watchFrom(10)]);
  });

  it.each([DEFAULT_GATES, LIST_GATES])("asks for its selection alone, in lists and in watches", async (gates) => {
    const selection = { namespace: "ns", labelSelector: "a=b", fieldSelector: "metadata.name=x" };
    const { server, start, clock } = setup({ gates, selection });
    const asked: string[] = [];
    for (let i = 0; i < 2; i++) {
      server.overrides.push(({ path, query }, signal) => {
        asked.push(`${path} ${/labelSelector=a%3Db/.test(query) && /fieldSelector=metadata.name%3Dx/.test(query)}`);
        const parameters = new URLSearchParams(query);
        return parameters.get("watch") ? server.watch(parameters, signal) : server.list(parameters);
      });
    }
    void start();
    await clock.advance(2000);
    server.endStreams();
    await clock.advance(2000);
    expect(asked).toEqual(Array(2).fill("/apis/example.com/v1/namespaces/ns/things true"));
  });

  it("machinery/5.2.7 makes one unpaged list when a continue token expires", async () => {
    const { server, start, asked, clock, informer } = setup({ gates: LIST_GATES });
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
    const { server, start, asked, clock, informer } = setup({ gates: LIST_GATES });
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
    const { server, start, clock } = setup({ gates: LIST_GATES });
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
    for (const [i, gap] of gaps.slice(0, 6).entries()) expect(gap).not.toBe(bases[i]);
  });

  it("machinery/5.2.2 starts again two minutes after it last started, under a lasting outage", async () => {
    const { server, start, clock } = setup({ gates: LIST_GATES });
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
