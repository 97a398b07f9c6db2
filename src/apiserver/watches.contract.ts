// The contract of watches, over each transport.

import { describe, expect, it } from "vitest";
import { configMap, type TestClient, type TestServer, type TestSubject, TestWatch } from "./testing.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

export function describeWatches(subject: TestSubject): void {
  const start = async (...names: string[]): Promise<TestServer & { client: TestClient }> => {
    const server = await subject.start();
    for (const each of names) await server.client.post(MAPS, configMap(each, {}, { app: each }));
    return server;
  };

  describe(`${subject.name}: watch`, () => {
    it("machinery/7.1.r7 begins with the state for version 0, and continues in order", async () => {
      const { client, clock } = await start("a", "b");
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=0`);
      await client.post(MAPS, configMap("c"));
      await client.patch(`${MAPS}/a`, "merge", { data: { x: "1" } });
      await client.delete(`${MAPS}/b`);
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED a", "ADDED b", "ADDED c", "MODIFIED a", "DELETED b"]);
      const versions = watch.events.slice(2).map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    });

    it("machinery/7.1.r7 starts after the given version, from any retained one", async () => {
      const { client, clock, storage } = await start("a");
      const at = storage.revision;
      await client.post(MAPS, configMap("b"));
      await client.delete(`${MAPS}/a`);
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${at}`);
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED b", "DELETED a"]);
      expect(watch.events[1]?.object.metadata.resourceVersion).toBe(String(storage.revision));
    });

    it("machinery/7.1.r7 answers a version below its history with an ERROR event, 410 Expired", async () => {
      const { client, clock, storage } = await start("a", "b");
      storage.compact(storage.revision);
      await client.post(MAPS, configMap("c"));
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=3`);
      await clock.advance(0);
      expect(watch.status).toBe(200);
      expect(watch.events).toHaveLength(1);
      expect(watch.events[0]).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
      expect(watch.events[0]?.object.message).toContain("too old resource version: 3 (");
      expect(watch.isEnded).toBe(true);
    });

    it("machinery/7.1.r7 reports objects that start to match as added and those that stop matching as deleted", async () => {
      const { client, clock, storage } = await start("a", "b");
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${storage.revision}&labelSelector=app%3Dx`);
      await client.patch(`${MAPS}/a`, "merge", { metadata: { labels: { app: "x" } } });
      await client.patch(`${MAPS}/b`, "merge", { metadata: { labels: { app: "y" } } });
      await client.patch(`${MAPS}/a`, "merge", { data: { k: "v" } });
      await client.patch(`${MAPS}/a`, "merge", { metadata: { labels: { app: "y" } } });
      const left = storage.revision;
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
      const last = watch.events[2]?.object;
      expect(last.metadata.labels.app).toBe("x");
      expect(last.metadata.resourceVersion).toBe(String(left));
    });

    it("machinery/7.1.r7 follows one name, and one namespace", async () => {
      const { client, clock, storage } = await start();
      await client.post("/api/v1/namespaces", { metadata: { name: "other" } });
      const at = storage.revision;
      const one = await client.watch(
        `/api/v1/configmaps?watch=1&resourceVersion=${at}&fieldSelector=metadata.name%3Da`,
      );
      const there = await client.watch(`/api/v1/namespaces/other/configmaps?watch=1&resourceVersion=${at}`);
      const path = await client.watch(`/api/v1/watch/namespaces/default/configmaps/b?resourceVersion=${at}`);
      for (const each of ["a", "b"]) {
        await client.post(MAPS, configMap(each));
        await client.post("/api/v1/namespaces/other/configmaps", configMap(`o-${each}`));
      }
      await clock.advance(0);
      expect(one.summary).toEqual(["ADDED a"]);
      expect(there.summary).toEqual(["ADDED o-a", "ADDED o-b"]);
      expect(path.summary).toEqual(["ADDED b"]);
    });

    it("machinery/7.1.r7 sends bookmarks every minute and shortly before the end, on request", async () => {
      const { client, clock, storage } = await start("a");
      const at = storage.revision;
      const query = `watch=1&resourceVersion=${at}&timeoutSeconds=150`;
      const marked = await client.watch(`${MAPS}?${query}&allowWatchBookmarks=true`);
      const plain = await client.watch(`${MAPS}?${query}`);
      await clock.advance(61_000);
      expect(marked.summary).toEqual(["BOOKMARK"]);
      await client.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
      await clock.advance(60_000);
      expect(marked.events[1]?.object.metadata.resourceVersion).toBe(String(at + 1));
      await clock.advance(28_000);
      expect(marked.summary).toEqual(["BOOKMARK", "BOOKMARK", "BOOKMARK"]);
      expect([marked.isEnded, plain.isEnded]).toEqual([false, false]);
      await clock.advance(2_000);
      expect([marked.isEnded, plain.isEnded]).toEqual([true, true]);
      expect(plain.summary).toEqual([]);
    });

    it("machinery/7.1.r7 ends by itself between 30 and 60 minutes", async () => {
      const { client, clock } = await start();
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=0`);
      await clock.advance(29 * 60_000);
      expect(watch.isEnded).toBe(false);
      await clock.advance(31 * 60_000);
      expect(watch.isEnded).toBe(true);
    });

    it("machinery/7.1.r8 ends the initial events with a marked bookmark", async () => {
      const { client, clock, storage } = await start("a", "b");
      const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const watch = await client.watch(`${MAPS}?${query}`);
      await clock.advance(0);
      expect(watch.summary).toEqual(["ADDED a", "ADDED b", "BOOKMARK"]);
      expect(watch.events[2]?.object.metadata).toEqual({
        resourceVersion: String(storage.revision),
        annotations: { "k8s.io/initial-events-end": "true" },
      });
      const without = await client.watch(`${MAPS}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
      await client.post(MAPS, configMap("c"));
      await clock.advance(0);
      expect(without.summary).toEqual(["ADDED c"]);
    });

    it("machinery/7.1.r8 refuses to start from a version that is never reached, with an ERROR event", async () => {
      const { client, clock } = await start("a");
      const pending = client.watch(
        `${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999`,
      );
      await clock.advance(4_000);
      const watch = await pending;
      await clock.advance(0);
      expect(watch.events[0]).toMatchObject({ type: "ERROR", object: { code: 504, reason: "Timeout" } });
    });

    it("machinery/7.1.r13 watches metadata only", async () => {
      const { client, clock } = await start("a");
      const controller = new AbortController();
      const response = await client.send(
        "GET",
        `${MAPS}?watch=1&resourceVersion=0`,
        undefined,
        {
          accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        },
        controller.signal,
      );
      expect(response.status).toBe(200);
      const watch = new TestWatch(response, controller);
      await clock.advance(0);
      expect(watch.events[0]?.object.kind).toBe("PartialObjectMetadata");
      expect(watch.events[0]?.object.data).toBeUndefined();
    });

    it("frees everything when the client leaves or the server closes", async () => {
      const { client, clock, server } = await start("a");
      const left = await client.watch(`${MAPS}?watch=1&resourceVersion=0`);
      const stays = await client.watch(`${MAPS}?watch=1&resourceVersion=0`);
      await clock.advance(0);
      left.leave();
      await clock.advance(0);
      expect([left.isEnded, stays.isEnded]).toEqual([true, false]);
      server.close();
      await clock.advance(0);
      expect(stays.isEnded).toBe(true);
    });
  });
}

/** The bound of a watcher's queue is visible only if no network buffers events too. */
export function describeSlowWatchers(subject: TestSubject): void {
  describe(`${subject.name}: slow watchers`, () => {
    it("closes a watcher that does not read, once its buffer is full", async () => {
      const { client, storage, clock } = await subject.start();
      const response = await client.send("GET", `${MAPS}?watch=1&resourceVersion=${storage.revision}`);
      for (let i = 0; i < 10_001; i++) await client.post(MAPS, configMap(`m-${i}`));
      const body = response.body;
      let events = 0;
      if (body.kind === "events") for await (const batch of body.batches) events += batch.length;
      if (body.kind === "stream") {
        for await (const chunk of body.chunks) events += chunk.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
      }
      await clock.advance(0);
      expect(events).toBe(10_000);
    });
  });
}
