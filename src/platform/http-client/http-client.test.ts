import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import { httpClientContract } from "./http-client.contract.ts";
import { eventually, get, never, startRawServer } from "./http-client.testing.ts";
import { createHttpClient, type HttpClient, type HttpClientOptions, httpClientOn } from "./http-client.ts";
import { httpConnectionContract } from "./http-client-connection.contract.ts";
import { httpWireContract } from "./http-client-wire.contract.ts";
import { httpProxyContract } from "./http-proxy.contract.ts";
import { type lostConnections, portsKey } from "./lost-connections.ts";
import { bunDialer } from "./socket-bun.ts";
import { nodeDialer } from "./socket-node.ts";

const dialers = { "node:tls": nodeDialer, ...(process.versions.bun !== undefined && { "Bun.connect": bunDialer }) };

for (const [name, dialer] of Object.entries(dialers)) {
  const create = (options: HttpClientOptions): HttpClient => httpClientOn(dialer, options);
  httpClientContract(`the client on ${name}`, create);
  httpConnectionContract(`the client on ${name}`, create);
  httpWireContract(`the client on ${name}`, create);
}
httpProxyContract("the client", createHttpClient);

it("picks the sockets of its runtime", async () => {
  const client = await createHttpClient({ baseUrl: "https://127.0.0.1:1" });
  await expect(client.send(get("/"), never())).rejects.toMatchObject({ failure: "refused" });
  client.close();
});

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

it("keeps 25 idle connections, for 90 seconds", async () => {
  const clock = testClock();
  let waiting: Socket[] = [];
  const server = await startRawServer((socket) => void waiting.push(socket));
  const client = httpClientOn(nodeDialer, { baseUrl: server.url }, clock);
  const exchanges = async (count: number): Promise<void> => {
    const sending = Array.from({ length: count }, () => client.send(get("/"), never()));
    await eventually(() => waiting.length === count);
    for (const socket of waiting) socket.write(ok);
    waiting = [];
    await Promise.all(sending);
  };
  await exchanges(30);
  await eventually(() => server.sockets.size === 25);
  await clock.advance(50_000);
  await exchanges(3);
  expect(server.received.length).toBe(30);
  await clock.advance(40_000);
  await eventually(() => server.sockets.size === 3);
  // The client looks for old connections every 30 seconds.
  await clock.advance(60_000);
  await eventually(() => server.sockets.size === 0);
  await server.close();
});

it("does not send a request that must not be repeated on an old connection", async () => {
  const clock = testClock();
  const server = await startRawServer((socket) => void socket.write(ok));
  const client = httpClientOn(nodeDialer, { baseUrl: server.url }, clock);
  await client.send(get("/"), never());
  clock.stall(61_000);
  await client.send(get("/"), never());
  expect(server.received.length).toBe(1);
  clock.stall(61_000);
  await client.send({ ...get("/"), method: "POST" }, never());
  expect(server.received.length).toBe(2);
  client.close();
  await server.close();
});

describe("a server that says nothing", () => {
  /** Sends a stream request and a write that get no answer, and returns how each ends. */
  const silence = async (lost: typeof lostConnections, dialer: Parameters<typeof httpClientOn>[0] = nodeDialer) => {
    const clock = testClock();
    const server = await startRawServer(() => undefined);
    const client = httpClientOn(dialer, { baseUrl: server.url }, clock, lost);
    const stop = new AbortController();
    const settled = (sending: Promise<unknown>): Promise<unknown> => sending.catch((error: unknown) => error);
    const stream = settled(client.send(get("/"), stop.signal));
    await eventually(() => server.received[0]?.endsWith("\r\n\r\n") ?? false);
    const write = settled(client.send({ ...get("/"), method: "POST", whole: true }, stop.signal));
    await eventually(() => server.received[1]?.endsWith("\r\n\r\n") ?? false);
    return { clock, server, stop, stream, write };
  };
  const late = (seconds: number) => ({ failure: "timeout", message: expect.stringContaining(`within ${seconds} s`) });

  it.each([
    { what: "is waited for while its machine responds", lost: () => new Set<string>(), seconds: 900 },
    { what: "is waited for a shorter time if the system cannot tell", lost: () => undefined, seconds: 150 },
  ])("$what, $seconds s for a whole answer, a stream for ever", async ({ lost, seconds }) => {
    const { clock, server, stop, stream, write } = await silence(lost);
    await clock.advance(seconds * 1000 - 1000);
    expect(server.sockets.size).toBe(2);
    await clock.advance(31_000);
    expect(await write).toMatchObject(late(seconds));
    await eventually(() => server.sockets.size === 1);
    await clock.advance(1_000_000);
    expect(server.sockets.size).toBe(1);
    stop.abort(new Error("enough"));
    expect(await stream).toMatchObject({ message: "enough" });
    await server.close();
  });

  it.each(Object.entries(dialers))("is given up when its machine is gone, on %s", async (_, dialer) => {
    let isGone = false;
    const lost = new Set<string>();
    const { clock, server, stream, write } = await silence(() => (isGone ? lost : new Set()), dialer);
    for (const { localPort = 0, remotePort = 0 } of server.sockets) lost.add(portsKey(remotePort, localPort));
    await clock.advance(100_000);
    expect(server.sockets.size).toBe(2);
    isGone = true;
    await clock.advance(30_000);
    const error = { failure: "timeout", message: expect.stringContaining("does not acknowledge") };
    expect([await stream, await write]).toEqual([expect.objectContaining(error), expect.objectContaining(error)]);
    await eventually(() => server.sockets.size === 0);
    await server.close();
  });
});

it("lets the process end although a connection is idle", async () => {
  const server = await startRawServer((socket) => void socket.write(ok));
  const script = `
    const { createHttpClient } = await import(${JSON.stringify(new URL("./http-client.ts", import.meta.url).href)});
    const request = { method: "GET", path: "/", query: "", headers: {} };
    const client = await createHttpClient({ baseUrl: "${server.url}" });
    await client.send(request, new AbortController().signal);
    process.stdout.write("done");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const data of child.stdout) output += data;
  expect(output).toBe("done");
  await server.close();
});
