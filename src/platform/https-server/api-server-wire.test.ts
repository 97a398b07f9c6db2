// The API server under misbehaving networks: clients that send too much, do not read, disconnect by the hundred, or
// stay connected while certificates change and the server closes.

import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { configMap, type TestWatch } from "#apiserver/testing.ts";
import type { Transport } from "#base/http.ts";
import { neverAborted } from "#base/testing.ts";
import { eventually, newAuthority, serverCertificate } from "../http-client/http-client.testing.ts";
import { createHttpClient } from "../http-client/http-client.ts";
import { ApiServersOverHttps, adminOptions, servingSettings } from "./api-server-over-https.testing.ts";
import { http2Transport } from "./http2-transport.testing.ts";
import type { HttpsServerOptions } from "./https-server.ts";

/** Ends a hopeless wait. These transfers take seconds on a busy machine. */
const LIMIT_MS = 60_000;
const MAPS = "/api/v1/namespaces/default/configmaps";
const WATCH = `${MAPS}?watch=1&resourceVersion=0`;

const transports: Readonly<Record<string, (port: number) => Promise<Transport & { close(): void }>>> = {
  "HTTP/1.1": (port) => createHttpClient(adminOptions(port)),
  h2: async (port) => http2Transport(adminOptions(port)),
};

const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(protocol: string, options: Partial<HttpsServerOptions> = {}) {
  const stage = await ApiServersOverHttps.start({ disableHttp2: protocol !== "h2", ...options });
  opened.push(() => stage.https.close());
  const transport = await (transports[protocol] as (typeof transports)[string])(stage.https.port);
  opened.push(() => transport.close());
  const server = await stage.subject(protocol, transport).start();
  opened.push(() => server.server.close());
  return { ...server, stage, transport };
}

/** Counts the hubs that listen to the config maps: none once the last watch has ended. */
function countSubscriptions(storage: Awaited<ReturnType<typeof start>>["storage"]): () => number {
  const table = storage.table("configmaps");
  const subscribe = table.subscribe.bind(table);
  let count = 0;
  table.subscribe = (listener) => {
    const subscription = subscribe(listener);
    count++;
    return {
      [Symbol.dispose]: () => {
        count--;
        subscription[Symbol.dispose]();
      },
    };
  };
  return () => count;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(["HTTP/1.1", "h2"])("the API server over %s", (protocol) => {
  it("machinery/7.1.r20 answers 413 while the client still sends, and the client sees it", async () => {
    const { client } = await start(protocol);
    const { status, body } = await client.post(MAPS, new Uint8Array(6 * 1024 * 1024));
    expect([status, body.reason, body.message]).toEqual([
      413,
      "RequestEntityTooLarge",
      "Request entity too large: limit is 3145728",
    ]);
    expect((await client.post(MAPS, configMap("small"))).status).toBe(201);
  });

  it(
    "frees every watch of five hundred clients that go away",
    async () => {
      const { client, clock, storage, stage } = await start(protocol, { http2StreamsMax: 1_000 });
      const subscriptions = countSubscriptions(storage);
      const watches: TestWatch[] = [];
      for (let i = 0; i < 500; i++) watches.push(await client.watch(WATCH));
      expect(subscriptions()).toBe(1);
      await client.post(MAPS, configMap("a"));
      await clock.advance(0);
      expect(watches.filter(({ summary }) => summary.join() !== "ADDED a")).toEqual([]);
      for (const watch of watches) watch.leave();
      await clock.advance(0);
      await eventually(() => subscriptions() === 0);
      expect(watches.every(({ isEnded }) => isEnded)).toBe(true);
      expect(stage.errors).toEqual([]);
      if (protocol === "HTTP/1.1") await eventually(() => stage.https.connectionCount < 50);
      expect((await client.get(`${MAPS}/a`)).status).toBe(200);
    },
    LIMIT_MS,
  );

  it("keeps open watches when the certificate changes; new connections see the new one", async () => {
    const { client, clock, stage } = await start(protocol);
    const watch = await client.watch(WATCH);
    stage.https.update(servingSettings(serverCertificate(newAuthority("next"))));
    const fresh = await (transports[protocol] as (typeof transports)[string])(stage.https.port);
    opened.push(() => fresh.close());
    const request = { method: "GET", path: "/version", query: "", headers: {} };
    await expect(fresh.send(request, neverAborted())).rejects.toThrow();
    stage.https.update(servingSettings());
    await client.post(MAPS, configMap("a"));
    await clock.advance(0);
    expect([watch.summary, watch.isEnded]).toEqual([["ADDED a"], false]);
  });

  it("ends all watches when the API server closes, and closes all connections when the listener does", async () => {
    const { client, clock, server } = await start(protocol);
    const first = await client.watch(WATCH);
    server.close();
    await clock.advance(0);
    expect([first.isEnded, first.failure]).toEqual([true, undefined]);
    const other = await start(protocol);
    const second = await other.client.watch(WATCH);
    await other.stage.https.close();
    await eventually(() => second.isEnded);
    expect(other.stage.https.connectionCount).toBe(0);
  });

  it("keeps a connection with an open watch however quiet it is", async () => {
    const { client, clock } = await start(protocol, {
      limits: { idleMs: 50, headMs: 10_000, prefaceMs: 10_000, lookMs: 10 },
    });
    const watch = await client.watch(WATCH);
    await client.get(MAPS);
    await pause(300);
    await client.post(MAPS, configMap("a"));
    await clock.advance(0);
    expect([watch.summary, watch.isEnded]).toEqual([["ADDED a"], false]);
  });
});

/** Clients that open a watch and do not read its events. */
const silentWatchers: Readonly<Record<string, (port: number, header: readonly [string, string]) => Promise<void>>> = {
  "HTTP/1.1": async (port, [name, value]) => {
    const { ca, cert, key } = adminOptions(port);
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const connected = connectTls({ host: "127.0.0.1", port, ca, cert, key }, () => resolve(connected));
      connected.on("error", reject);
    });
    opened.push(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write(`GET ${WATCH} HTTP/1.1\r\nhost: x\r\n${name}: ${value}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
  },
  h2: async (port, [name, value]) => {
    const transport = http2Transport(adminOptions(port));
    opened.push(() => transport.close());
    const stream = transport.session.request({ ":path": WATCH, [name]: value });
    stream.on("error", () => undefined);
    await new Promise((resolve) => stream.once("response", resolve));
  },
};

describe("a client that does not read its watch", () => {
  it.each(["HTTP/1.1", "h2"])(
    "is cut off over %s, and others go on",
    async (protocol) => {
      // Long enough that the client that reads is not cut off on a busy machine.
      const { client, clock, storage, server, stage } = await start(protocol, { slowClientMs: 4_000 });
      const subscriptions = countSubscriptions(storage);
      const { header, isReleased } = stage.unobserved(server);
      await (silentWatchers[protocol] as (typeof silentWatchers)[string])(stage.https.port, header);
      const reader = await client.watch(WATCH);
      const filler = "x".repeat(500_000);
      const written: string[] = [];
      for (; !isReleased(); await pause(10)) {
        if (written.length >= 60) continue; // more than all buffers between the two hold
        const name = `m-${written.length}`;
        await client.post(MAPS, configMap(name, { filler }));
        written.push(`ADDED ${name}`);
      }
      await client.post(MAPS, configMap("last"));
      await clock.advance(0);
      expect([reader.summary, reader.isEnded]).toEqual([[...written, "ADDED last"], false]);
      expect(subscriptions()).toBe(1);
      reader.leave();
      await eventually(() => subscriptions() === 0);
    },
    LIMIT_MS,
  );
});
