// HTTPS for the embedded API server and for the daemon's own port: HTTP/1.1 and h2 on one socket,
// client certificates, certificate reload, and time limits of our own. A node:tls server hands its
// sockets to http and http2 servers because only so are client certificates seen on Bun too.

import { createServer as createHttpServer } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer, type Server, type TLSSocket } from "node:tls";
import { Aborted } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import { Connection } from "./https-connection.ts";
import { readRequest, type ServedRequest } from "./https-request.ts";
import { writeResponse } from "./https-response.ts";
import type { Incoming, Outgoing, Wire } from "./https-wire.ts";
import { StreamPacer } from "./stream-pacer.ts";
import { sniContexts, type TlsSettings, tlsServerOptions } from "./tls-settings.ts";

/** A connection without a request for this long is closed. */
const IDLE_MS = 90_000;
/** A client that takes nothing of a stream for this long is cut off: what waits for it costs memory. */
const SLOW_CLIENT_MS = 30_000;
const HANDSHAKE_MS = 10_000;
const HEADER_BYTES_MAX = 1 << 20;

export interface HttpsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls: TlsSettings;
  readonly disableHttp2?: boolean;
  readonly http2StreamsMax?: number;
  readonly reusePort?: boolean;
  /** Ask clients for certificates although the CAs that vouch for them are yet to come with update(). */
  readonly expectsClientCas?: boolean;
  /** Absent: 90 s. */
  readonly idleMs?: number;
  /** Absent: 30 s. */
  readonly slowClientMs?: number;
  /** The signal aborts when the client goes away or the server closes. */
  handle(request: ServedRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** A handler that threw; the client got a 500. */
  onError(error: unknown): void;
  onHandshakeError?(error: Error): void;
}

export interface HttpsServer {
  readonly host: string;
  readonly port: number;
  /** Connections that are open now. */
  readonly connectionCount: number;
  /** New connections get the new settings; open ones live on. Throws, and changes nothing, when they are unusable. */
  update(tls: TlsSettings): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Found by what a request knows of its connection: the socket of HTTP/1.1, the session of h2. */
type Connections = WeakMap<object, Connection>;

export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  let settings = options.tls;
  let contextFor = sniContexts(settings);
  const connections: Connections = new WeakMap();
  const pacer = new StreamPacer();
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    const connection = connections.get(sessionOf(incoming) ?? incoming.socket);
    if (connection === undefined)
      incoming.destroy(); // its connection is gone already
    else void serve(connection, incoming, outgoing, settings, options);
  };
  const http1 = createHttpServer({ maxHeaderSize: HEADER_BYTES_MAX }, onRequest);
  let http2: Http2Server | undefined;
  const sockets = new Set<Socket>();
  const arrivals = new Set<Socket>();
  const protocols = options.disableHttp2 ? ["http/1.1"] : ["h2", "http/1.1"];

  const server: Server = createTlsServer(
    {
      ...tlsServerOptions(settings),
      ...(options.expectsClientCas ? { requestCert: true, rejectUnauthorized: false } : {}),
      ALPNProtocols: protocols,
      noDelay: true,
      handshakeTimeout: HANDSHAKE_MS,
      SNICallback: (host, done) => done(null, contextFor(host)),
    },
    (socket: TLSSocket) => {
      sockets.add(socket);
      const connection = new Connection(socket, pacer, options.idleMs ?? IDLE_MS);
      socket.on("close", () => {
        sockets.delete(socket);
        connection.close();
      });
      socket.on("error", () => socket.destroy()); // a peer that resets is gone; there is nobody to tell
      if (socket.alpnProtocol !== "h2") {
        connections.set(socket, connection);
        http1.emit("connection", socket);
        return;
      }
      http2 ??= createHttp2Server(options, onRequest);
      http2.once("session", (session) => connections.set(session, connection));
      http2.emit("connection", socket);
    },
  );
  // Also those that never finish their handshake: closing would wait for them.
  server.on("connection", (socket: Socket) => {
    arrivals.add(socket);
    socket.on("close", () => arrivals.delete(socket));
  });
  server.on("tlsClientError", (error, socket) => {
    options.onHandshakeError?.(error);
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
      for (const socket of [...sockets, ...arrivals]) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The module is loaded with the first client that speaks it: it takes a megabyte, and most ask over HTTP/1.1. */
function createHttp2Server(
  { http2StreamsMax }: HttpsServerOptions,
  onRequest: (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => void,
): Http2Server {
  const { createServer } = process.getBuiltinModule("node:http2");
  return createServer({ settings: { maxConcurrentStreams: http2StreamsMax || 100 } }, onRequest);
}

function sessionOf(incoming: Incoming): object | undefined {
  return "stream" in incoming ? incoming.stream.session : undefined;
}

async function serve(
  connection: Connection,
  incoming: Incoming,
  outgoing: Outgoing,
  settings: TlsSettings,
  options: HttpsServerOptions,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort(new Aborted("the client is gone")));
  const wire: Wire = { incoming, outgoing, socket: connection.socket, signal: gone.signal };
  connection.beginRequest(); // from here on the handler decides how long an answer may take
  try {
    const request = await readRequest(wire, settings);
    const response = await options.handle(request, gone.signal);
    await writeResponse(wire, response, connection.pacer, options.slowClientMs ?? SLOW_CLIENT_MS);
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
