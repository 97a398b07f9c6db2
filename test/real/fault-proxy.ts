// A TLS-terminating proxy in front of the API server that injects faults at run time. It passes on the user of a client
// certificate through the request-header CA, so RBAC sees the same user as without the proxy.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { KeyCertificate } from "#platform/certificates/x509.ts";
import {
  type Fault,
  type Injection,
  type Memory,
  matches,
  memoryKey,
  type ProxiedRequest,
  type RequestMatch,
  splitForFault,
} from "./faults.ts";
import type { Pki } from "./pki.ts";

export interface FaultProxy {
  readonly server: string;
  /** The newest matching injection takes effect. */
  inject(match: RequestMatch, fault: Fault, times?: number): Injection;
  /** Records answers from now on, to replay them later. */
  remember(match: RequestMatch): Memory;
  /** Breaks matching exchanges in progress; returns their number. */
  strike(match: RequestMatch, kind: "cut" | "reset"): number;
  /** Refuses connections and resets open ones. */
  down(): Promise<void>;
  /** Listens again on the same port, with another certificate if one is given. */
  up(serving?: KeyCertificate): Promise<void>;
  close(): void;
}

interface ArmedFault extends Injection {
  readonly match: RequestMatch;
  readonly fault: Fault;
  readonly removed: Promise<void>;
  takes(request: ProxiedRequest): boolean;
}

interface Exchange {
  readonly request: ProxiedRequest;
  readonly response: ServerResponse;
  readonly socket: TLSSocket;
}

export async function startFaultProxy(pki: Pki, apiServerPort: number): Promise<FaultProxy> {
  const forward = forwarder(pki, apiServerPort);
  const sockets = new Set<TLSSocket>();
  const exchanges = new Set<Exchange>();
  const memories: Memory[] = [];
  let armed: ArmedFault[] = [];
  let isDown = false;

  const http = createServer((incoming, response) => {
    const exchange: Exchange = { request: describe(incoming), response, socket: incoming.socket as TLSSocket };
    exchanges.add(exchange);
    response.on("close", () => exchanges.delete(exchange));
    const fault = armed.findLast(({ takes }) => takes(exchange.request));
    const remembering = memories.filter(({ match }) => !exchange.request.isWatch && matches(match, exchange.request));
    handle(exchange, incoming, fault, remembering, forward).catch(() => exchange.socket.destroy());
  });
  const listen = async (port: number, serving: KeyCertificate) => {
    const server = createTlsServer(
      {
        cert: serving.certificatePem,
        key: serving.keyPem,
        ca: pki.ca.certificatePem,
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: ["http/1.1"],
      },
      (socket) => {
        // A handshake in progress would keep the server from closing.
        if (isDown) return void socket.resetAndDestroy();
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
        http.emit("connection", socket);
      },
    );
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return server;
  };
  let server = await listenAnywhere((port) => listen(port, pki.serving));
  const { port } = server.address() as AddressInfo;
  const down = async (): Promise<void> => {
    isDown = true;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };

  return {
    server: `https://127.0.0.1:${port}`,
    inject(match, fault, times = Number.POSITIVE_INFINITY) {
      const entry = arm(match, fault, times, () => {
        armed = armed.filter((other) => other !== entry);
      });
      armed.push(entry);
      return entry;
    },
    remember(match) {
      const memory = { match, answers: new Map() };
      memories.push(memory);
      return memory;
    },
    strike(match, kind) {
      const struck = [...exchanges].filter(({ request }) => matches(match, request));
      for (const { response, socket } of struck) {
        if (kind === "reset") socket.resetAndDestroy();
        // The beginning of a line that never ends.
        else response.write('{"type":"MODIF', () => socket.destroy());
      }
      return struck.length;
    },
    down,
    async up(serving = pki.serving) {
      isDown = false;
      server = await listenAgain(() => listen(port, serving));
    },
    close: () => void down(),
  };
}

/** Below the ephemeral ports and above those of freePorts, so that no process of a test takes this port meanwhile. */
const lastingPorts = { from: 20_000, count: 12_000 };
const PORT_LIMIT_MS = 60_000;
const PORT_LOOK_MS = 250;

/** Waits for a port that another process of the machine took while the proxy was down. */
async function listenAgain<T>(listen: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PORT_LIMIT_MS;
  for (;;) {
    try {
      return await listen();
    } catch (error) {
      if (!isPortTaken(error) || performance.now() > deadline) throw error;
      await sleep(PORT_LOOK_MS);
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}

async function listenAnywhere<T>(listen: (port: number) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await listen(lastingPorts.from + Math.floor(Math.random() * lastingPorts.count));
    } catch (error) {
      if (!isPortTaken(error)) throw error;
    }
  }
}

function arm(match: RequestMatch, fault: Fault, times: number, onRemove: () => void): ArmedFault {
  const { promise: removed, resolve } = Promise.withResolvers<void>();
  let hits = 0;
  return {
    match,
    fault,
    removed,
    get hits() {
      return hits;
    },
    takes(request) {
      if (hits >= times || !matches(match, request)) return false;
      hits++;
      return true;
    },
    remove() {
      onRemove();
      resolve();
    },
  };
}

function describe(incoming: IncomingMessage): ProxiedRequest {
  const url = new URL(incoming.url ?? "/", "https://proxy");
  const socket = incoming.socket as TLSSocket;
  const user = socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined;
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    isWatch: ["1", "true"].includes(url.searchParams.get("watch") ?? ""),
    user: Array.isArray(user) ? user[0] : user,
    headers: incoming.headers,
  };
}

const readGraceMs = 30;

type Forward = (incoming: IncomingMessage, body: Buffer) => Promise<IncomingMessage>;

async function handle(
  exchange: Exchange,
  incoming: IncomingMessage,
  armed: ArmedFault | undefined,
  memories: readonly Memory[],
  forward: Forward,
): Promise<void> {
  const { request, response, socket } = exchange;
  const fault = armed?.fault;
  const body = await collect(incoming);
  if (fault?.kind === "refuse") return void socket.resetAndDestroy();
  if (fault?.kind === "status") return answerStatus(response, fault.status, fault.retryAfterSeconds);
  if (fault?.kind === "replay") {
    const old = fault.memory.answers.get(memoryKey(request));
    if (old === undefined) return answerStatus(response, 500);
    response.writeHead(200, { "content-type": old.contentType }).end(old.body);
    return;
  }
  if (fault?.kind === "delay") await sleep(fault.ms);
  const upstream = await forward(incoming, body);
  response.on("close", () => upstream.destroy());
  if (memories.length > 0 && upstream.statusCode === 200) {
    const whole = await collect(upstream);
    const contentType = upstream.headers["content-type"] ?? "application/json";
    for (const { answers } of memories) answers.set(memoryKey(request), { contentType, body: whole });
    response.writeHead(200, endToEnd(upstream)).end(whole);
    return;
  }
  await relay(upstream, exchange, armed);
}

/** Passes the answer on, line by line, as far as the fault allows. */
async function relay(
  upstream: IncomingMessage,
  { response, socket }: Exchange,
  armed: ArmedFault | undefined,
): Promise<void> {
  const fault = armed?.fault;
  const breaks = fault?.kind === "stall" || fault?.kind === "cut" || fault?.kind === "reset" ? fault : undefined;
  const strike = async (): Promise<"broken" | "goes on"> => {
    if (breaks?.kind === "stall") {
      await armed?.removed;
      return "goes on";
    }
    // The client must read the passed lines before the break: a reset, and an error in a fetch body, discard them.
    if (breaks?.afterLines !== undefined) await sleep(readGraceMs);
    if (breaks?.kind === "reset") socket.resetAndDestroy();
    else socket.destroy();
    return "broken";
  };
  if (breaks !== undefined && breaks.afterLines === undefined && (await strike()) === "broken") return;
  response.writeHead(upstream.statusCode ?? 502, endToEnd(upstream));
  response.flushHeaders();
  let linesLeft = breaks?.afterLines;
  for await (const chunk of upstream as AsyncIterable<Buffer>) {
    if (linesLeft === undefined) {
      await write(response, chunk);
      continue;
    }
    const split = splitForFault(chunk, linesLeft);
    linesLeft = split.linesLeft;
    await write(response, split.pass);
    if (!split.struck) continue;
    if ((await strike()) === "broken") return;
    linesLeft = undefined;
    await write(response, chunk.subarray(split.pass.length));
  }
  response.end();
}

/** Resolves when the bytes have been sent, so that a following break does not lose them. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

function forwarder(pki: Pki, port: number): Forward {
  const { ca, frontProxy } = pki;
  const common = { ca: ca.certificatePem, keepAlive: true };
  const anonymous = new Agent(common);
  const onBehalf = new Agent({ ...common, cert: frontProxy.certificatePem, key: frontProxy.keyPem });
  return (incoming, body) => {
    const socket = incoming.socket as TLSSocket;
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(incoming.headers)) {
      // No compression: faults count lines.
      const isDropped = /^(connection|transfer-encoding|content-length|accept-encoding|host|x-remote-.*)$/.test(name);
      if (value !== undefined && !isDropped) headers[name] = value;
    }
    if (body.length > 0) headers["content-length"] = String(body.length);
    if (socket.authorized) {
      const { CN = "", O = [] } = socket.getPeerCertificate().subject;
      headers["x-remote-user"] = CN;
      headers["x-remote-group"] = O;
    }
    return new Promise((resolve, reject) => {
      const agent = socket.authorized ? onBehalf : anonymous;
      const { method = "GET", url: path = "/" } = incoming;
      httpsRequest({ host: "127.0.0.1", port, method, path, headers, agent }, resolve).on("error", reject).end(body);
    });
  };
}

function endToEnd(upstream: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(upstream.headers)) {
    if (value !== undefined && !["connection", "transfer-encoding", "content-length"].includes(name))
      headers[name] = value;
  }
  return headers;
}

async function collect(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The Status object that the API server itself would send. */
function answerStatus(response: ServerResponse, status: number, retryAfterSeconds?: number): void {
  const reason = { 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout" }[status];
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  response.writeHead(status, { "content-type": "application/json", ...retryAfter }).end(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "injected by the fault proxy",
      reason: reason ?? "",
      code: status,
      ...details,
    }),
  );
}
