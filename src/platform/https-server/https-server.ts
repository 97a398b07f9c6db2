// HTTPS for the embedded API server and for the daemon's own port: HTTP/1.1 and h2 on one socket, client certificates,
// certificate reload, and its own time limits. A node:tls server passes its sockets to http and http2 servers, because
// on Bun client certificates are visible only this way.

import { createServer as createHttpServer } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer, type Server, type TLSSocket } from "node:tls";
import { Aborted } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import { processLimit } from "../system/process-limits.ts";
import { systemClock } from "../system/system-clock.ts";
import { Connection, type ConnectionLimits, WaitingConnections } from "./https-connection.ts";
import { headProblem, refuseHead } from "./https-head.ts";
import { peerAddress, readRequest, type ServedRequest } from "./https-request.ts";
import { writeResponse } from "./https-response.ts";
import type { Incoming, Outgoing, Wire } from "./https-wire.ts";
import { gateRequests, type RequestGate } from "./request-gate.ts";
import { StreamPacer } from "./stream-pacer.ts";
import { sniContexts, type TlsSettings, tlsServerOptions } from "./tls-settings.ts";

// Upstream: apiserver/pkg/server/secure_serving.go, Serve, except that it has no limit for slow clients.
const LIMITS: ConnectionLimits = { idleMs: 90_000, headMs: 32_000, prefaceMs: 10_000, lookMs: 1_000 };
const HANDSHAKE_MS = 32_000;
const KEEP_ALIVE_MS = 180_000;
/** Go's default limit, plus the bytes that Go reads beyond it before it refuses a head. */
const HEADER_BYTES_MAX = (1 << 20) + 4096;
/** The same limit as Go counts it for h2: each of ten fields adds 32 bytes. */
const HTTP2_HEADER_BYTES_MAX = (1 << 20) + 320;
const HTTP2_BUFFER_BYTES = 256 << 10;
const HTTP2_STREAMS_MAX = 100;
/** File descriptors reserved for the rest of the program, for example to renew its lease. */
const DESCRIPTORS_KEPT = 64;
/** A client that reads nothing of a stream for this long is disconnected, because its buffered data costs memory. */
const SLOW_CLIENT_MS = 30_000;

export interface HttpsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls: TlsSettings;
  readonly disableHttp2?: boolean;
  readonly http2StreamsMax?: number;
  readonly reusePort?: boolean;
  /** Ask for client certificates although their CAs arrive only later, with update(). */
  readonly expectsClientCas?: boolean;
  /** Absent: the limits of kube-controller-manager. */
  readonly limits?: ConnectionLimits;
  /** Absent: 30 s. */
  readonly slowClientMs?: number;
  /** Further connections are closed at once. Absent: the limit of file descriptors less a reserve. */
  readonly connectionsMax?: number;
  /** The time by which certificates expire. Absent: the system's. */
  readonly nowMs?: () => number;
  /** The signal aborts when the client goes away or the server closes. */
  handle(request: ServedRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** A handler threw; the client got a 500. */
  onError(error: unknown): void;
  /** peer: address and port. */
  onHandshakeError?(error: Error, peer: string): void;
  /** A connection beyond the limit was closed. */
  onCrowded?(): void;
}

export interface HttpsServer {
  readonly host: string;
  readonly port: number;
  /** How many connections are open. */
  readonly connectionCount: number;
  /**
   * New connections use the new settings; open ones are unaffected. Throws and changes nothing if the settings are
   * invalid.
   */
  update(tls: TlsSettings): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Connections by the object that a request refers to: the stream of HTTP/1.1, the session of h2. */
type Connections = WeakMap<object, Connection>;

export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  let settings = options.tls;
  let contextFor = sniContexts(settings);
  const connections: Connections = new WeakMap();
  const gates = new WeakMap<Connection, RequestGate>();
  const pacer = new StreamPacer();
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    const connection = connections.get(sessionOf(incoming) ?? incoming.socket);
    if (connection === undefined) return void incoming.destroy(); // its connection is closed already
    const begin = (): void => {
      const problem = headProblem(incoming);
      if (problem === undefined) void serve(connection, incoming, outgoing, () => settings.clientCas, options);
      else refuseHead(connection.socket, problem);
    };
    const gate = gates.get(connection);
    if (gate === undefined) begin();
    else gate.admit({ incoming, outgoing, serve: begin });
  };
  const waiting = new WaitingConnections(options.limits ?? LIMITS, systemClock);
  // node's own timeouts work only on a listening server.
  const http1 = createHttpServer(
    { maxHeaderSize: HEADER_BYTES_MAX, keepAliveTimeout: 0, requireHostHeader: false },
    onRequest,
  );
  // A head that is too long or malformed. The messages are Go's.
  http1.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const isTooLong = error.code === "HPE_HEADER_OVERFLOW";
    refuseHead(socket, isTooLong ? "431 Request Header Fields Too Large" : "400 Bad Request");
  });
  let http2: Http2Server | undefined;
  const sockets = new Set<Socket>();
  const arrivals = new Set<Socket>();
  const connectionsMax = options.connectionsMax ?? affordableConnections();
  const protocols = options.disableHttp2 ? ["http/1.1"] : ["h2", "http/1.1"];

  const server: Server = createTlsServer(
    {
      ...tlsServerOptions(settings),
      ...(options.expectsClientCas ? { requestCert: true, rejectUnauthorized: false } : {}),
      ALPNProtocols: protocols,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      handshakeTimeout: HANDSHAKE_MS,
      SNICallback: (host, done) => done(null, contextFor(host)),
    },
    (socket: TLSSocket) => {
      sockets.add(socket);
      const connection = new Connection(socket, pacer, waiting);
      socket.on("close", () => {
        sockets.delete(socket);
        connection.close();
      });
      socket.on("error", () => socket.destroy()); // the peer reset the connection
      if (socket.alpnProtocol !== "h2") {
        const gate = gateRequests(socket);
        gates.set(connection, gate);
        connections.set(gate.stream, connection);
        http1.emit("connection", gate.stream);
        return;
      }
      http2 ??= createHttp2Server(options, onRequest);
      http2.once("session", (session) => {
        connections.set(session, connection);
        session.once("remoteSettings", () => connection.greeted(session));
      });
      http2.emit("connection", socket);
    },
  );
  // Includes connections that never finish their handshake, for which close() would wait.
  server.on("connection", (socket: Socket) => {
    if (arrivals.size >= connectionsMax) {
      options.onCrowded?.();
      socket.destroy();
      return;
    }
    arrivals.add(socket);
    socket.on("close", () => arrivals.delete(socket));
  });
  server.on("tlsClientError", (error, socket) => {
    options.onHandshakeError?.(error, peerAddress(socket));
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, reusePort: options.reusePort ?? false }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    get connectionCount() {
      return sockets.size;
    },
    update(tls) {
      const contexts = sniContexts(tls);
      server.setSecureContext(tlsServerOptions(tls));
      contextFor = contexts;
      settings = tls;
    },
    async close() {
      waiting.close();
      for (const socket of [...sockets, ...arrivals]) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Without free file descriptors nothing can be accepted, and Bun retries in a busy loop. */
function affordableConnections(): number {
  const limit = processLimit("Max open files");
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : Math.max(limit - DESCRIPTORS_KEPT, limit / 2);
}

/** The http2 module is loaded with the first h2 client: it takes a megabyte, and most clients use HTTP/1.1. */
function createHttp2Server(
  { http2StreamsMax }: HttpsServerOptions,
  onRequest: (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => void,
): Http2Server {
  const { createServer } = process.getBuiltinModule("node:http2");
  const settings = {
    maxConcurrentStreams: http2StreamsMax || HTTP2_STREAMS_MAX,
    initialWindowSize: HTTP2_BUFFER_BYTES,
    maxFrameSize: HTTP2_BUFFER_BYTES,
    maxHeaderListSize: HTTP2_HEADER_BYTES_MAX,
  };
  return createServer({ settings }, onRequest);
}

function sessionOf(incoming: Incoming): object | undefined {
  return "stream" in incoming ? incoming.stream.session : undefined;
}

async function serve(
  connection: Connection,
  incoming: Incoming,
  outgoing: Outgoing,
  clientCas: () => TlsSettings["clientCas"],
  options: HttpsServerOptions,
): Promise<void> {
  const gone = new AbortController();
  let isAnswered = false; // whole answer sent: a later error concerns no client
  outgoing.on("close", () => {
    if (!isAnswered) gone.abort(new Aborted("the client is gone"));
  });
  const wire: Wire = { incoming, outgoing, socket: connection.socket, signal: gone.signal };
  connection.beginRequest(); // from here on the handler decides how long an answer may take
  try {
    const request = await readRequest(wire, clientCas, options.nowMs ?? Date.now);
    const response = await options.handle(request, gone.signal);
    await writeResponse(wire, response, connection.pacer, options.slowClientMs ?? SLOW_CLIENT_MS);
    isAnswered = response.body.kind === "bytes";
  } catch (error) {
    if (gone.signal.aborted) return;
    options.onError(error);
    if (outgoing.headersSent) outgoing.destroy();
    else {
      outgoing.statusCode = 500;
      outgoing.end("internal error\n");
    }
  } finally {
    connection.endRequest();
  }
}
