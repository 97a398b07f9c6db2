// How a reflector follows a watch: reopening, expiry, silence.

import { describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import { TransportError } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { fedStream, jsonResponse, type Responder, streamResponse } from "#client/testing.ts";
import { DEFAULT_GATES } from "#informers/shared-informer.ts";
import { failure, statusOf } from "#informers/testing.ts";
import { LIST_GATES, stageInformer as setup, WATCH_LIST, watchFrom, watchListFrom } from "#informers/testing-stage.ts";

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
    const { server, start, asked, clock, heard } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    asked();
    server.push("ERROR", statusOf(410, "Expired", "too old resource version"));
    await clock.advance(1600);
    expect(asked()).toEqual([watchListFrom(11)]);
    expect(heard()).toEqual(["initial a=1", "update a=1 a=1"]);
  });

  it("machinery/5.2.8 lists again when a watch is refused because its version is forgotten", async () => {
    const { server, start, asked, clock } = setup({ gates: LIST_GATES });
    void start();
    await clock.advance(2000);
    asked();
    server.overrides.push(() => failure(410, "Expired", "too old resource version"));
    server.endStreams();
    await clock.advance(1600);
    expect(asked()).toEqual([watchFrom(10), "resourceVersion=10", watchFrom(10)]);
  });

  it("machinery/5.2.9 takes over what came before the ERROR, also in one piece with it", async () => {
    const { server, start, asked, clock, heard } = setup();
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
    expect(heard()).toEqual(["initial a=1", "update a=1 a=2"]);
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

  it.each(["not JSON\n", '{"type":"ADDED"}\n'])(
    "machinery/5.2.9 lists again after %j on the stream",
    async (garbage) => {
      const { server, start, asked, clock, heard } = setup();
      server.put("a", 1);
      void start();
      await clock.settle();
      asked();
      for (const { stream } of server.streams) stream.push(garbage);
      await clock.advance(1600);
      expect(asked()).toEqual([watchListFrom(11)]);
      expect(heard()).toEqual(["initial a=1", "update a=1 a=1"]);
      expect(server.streams.size).toBe(1);
    },
  );

  it("machinery/5.2.10 skips foreign kinds and Tables without moving on, and unknown types with", async () => {
    const { server, start, clock, informer, heard } = setup();
    server.put("a", 1);
    void start();
    await clock.settle();
    heard();
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    server.push("ADDED", { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "51" } });
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("11");
    server.push("PROMOTED", { kind: "Thing", metadata: { name: "a", resourceVersion: "12" } });
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("12");
    expect(heard()).toEqual([]);
  });

  it("machinery/5.2.10 learns its kind from the list, and accepts no object without metadata", async () => {
    const { server, start, clock, informer, heard } = setup({ gates: LIST_GATES });
    void start();
    await clock.settle();
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    server.push("ADDED", { kind: "Thing" });
    server.push("ADDED", { kind: "Table", apiVersion: "example.com/v1", metadata: { name: "t" } });
    await clock.settle();
    expect([heard(), informer.lastSyncResourceVersion]).toEqual([[], "10"]);
    server.put("a", 1);
    await clock.settle();
    expect(heard()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.10 a list of no definite kind takes the kind of the first event", async () => {
    const { server, start, clock, heard } = setup({ gates: LIST_GATES });
    server.overrides.push(() => jsonResponse({ kind: "Things", metadata: { resourceVersion: "10" }, items: [] }));
    void start();
    await clock.settle();
    server.put("a", 1);
    server.push("ADDED", { kind: "Other", metadata: { name: "x", resourceVersion: "50" } });
    await clock.settle();
    expect(heard()).toEqual(["add a=1"]);
  });

  it.each(["", "0"])(
    "machinery/5.2.11 from version %j, additions do not move on before another event",
    async (from) => {
      const { server, start, clock, informer, heard } = setup({ gates: LIST_GATES });
      server.put("b", 2);
      server.put("a", 1);
      server.overrides.push(() => jsonResponse({ kind: "ThingList", metadata: { resourceVersion: from }, items: [] }));
      void start();
      await clock.settle();
      expect(heard()).toEqual(["add b=2", "add a=1"]);
      expect(informer.lastSyncResourceVersion).toBe(from);
      server.put("b", 3);
      await clock.settle();
      expect([heard(), informer.lastSyncResourceVersion]).toEqual([["update b=2 b=3"], "13"]);
      server.put("c", 4);
      await clock.settle();
      expect([heard(), informer.lastSyncResourceVersion]).toEqual([["add c=4"], "14"]);
    },
  );

  it("machinery/5.2.11 advances by bookmarks, which handlers do not see", async () => {
    const { server, start, clock, informer, heard } = setup();
    void start();
    await clock.settle();
    server.revision = 40;
    server.bookmark();
    await clock.settle();
    expect(informer.lastSyncResourceVersion).toBe("40");
    expect(informer.lastStoreSyncResourceVersion).toBe("40");
    expect(heard()).toEqual([]);
  });

  it("machinery/5.2.12 takes 150 s of silence after a bookmark for death and reopens where it was", async () => {
    const { server, start, asked, clock, heard } = setup();
    void start();
    await clock.settle();
    server.stall();
    server.put("a", 1);
    await clock.advance(149_000);
    expect(asked()).toEqual([WATCH_LIST]);
    await clock.advance(2000);
    expect(asked()).toEqual([watchFrom(10)]);
    expect(heard()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.12 counts the silence from the last event, once a bookmark has come", async () => {
    const { server, start, asked, clock } = setup({ gates: LIST_GATES });
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
    const { server, start, asked, clock, heard } = setup({ gates: LIST_GATES });
    void start();
    await clock.settle();
    server.stall();
    server.put("a", 1);
    asked();
    await clock.advance(299_000);
    expect(asked()).toEqual([]);
    await clock.advance(340_000);
    expect(asked()).toEqual([watchFrom(10)]);
    expect(heard()).toEqual(["add a=1"]);
  });

  it("machinery/5.2.12 does not wait for ever for an answer to a watch", async () => {
    const { server, start, asked, clock, heard } = setup();
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
    expect(heard()).toEqual([]);
    await clock.advance(320_000);
    expect(heard()).toEqual(["add a=1"]);
    expect(asked().slice(0, 3)).toEqual([WATCH_LIST, watchFrom(10), watchListFrom(10)]);
  });

  it.each(["ended", "cut", "cut in a line"])("machinery/5.2.13 reopens a stream that was %s at once", async (how) => {
    const { server, start, asked, clock, heard } = setup();
    void start();
    await clock.advance(5000);
    asked();
    if (how === "ended") server.endStreams();
    else server.cutStreams(how === "cut in a line");
    server.put("a", 1);
    await clock.settle();
    expect(asked()).toEqual([watchFrom(10)]);
    expect(heard()).toEqual(["add a=1"]);
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

  it("machinery/5.2.13 counts that second from the end of the streamed list, regardless of its duration", async () => {
    const { server, start, asked, clock } = setup();
    const stream = fedStream();
    server.overrides.push(() => streamResponse(stream));
    await clock.advance(60_000);
    void start();
    await clock.advance(5000);
    const metadata = { resourceVersion: "10", annotations: { "k8s.io/initial-events-end": "true" } };
    stream.push(`${JSON.stringify({ type: "BOOKMARK", object: { kind: "Thing", metadata } })}\n`);
    await clock.advance(999);
    asked();
    stream.end();
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

  const never: Responder = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const refused: Responder = () => {
    throw new TransportError("refused", "connection refused");
  };
  it.each([
    { during: "a streamed list", gates: DEFAULT_GATES, answers: [never] },
    { during: "a list", gates: LIST_GATES, answers: [never] },
    { during: "the opening of a watch", gates: LIST_GATES, answers: [undefined, never] },
    { during: "a watch", gates: LIST_GATES, answers: [] },
    { during: "a pause", gates: LIST_GATES, answers: [refused] },
  ])("machinery/5.2.15 ends during $during without a complaint", async ({ gates, answers }) => {
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const log: Logger = { ...noLog, error: (_, text) => say(text), info: say, v: () => noLog };
    const { server, start, stop, clock } = setup({ gates, log });
    server.overrides.push(...answers);
    const ended = start();
    await clock.settle();
    said.length = 0;
    stop.abort(new Aborted("enough"));
    await ended;
    expect([said, server.streams.size, clock.pendingCount]).toEqual([[], 0, 0]);
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
