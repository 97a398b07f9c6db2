// HTTPS for the embedded API server and for the daemon's own port: HTTP/1.1 and h2 on one socket,
// client certificates, certificate reload, and time limits of our own. A node:tls server hands its
// sockets to http and http2 servers because only so are client certificates seen on Bun too.

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer, type Server, type TLSSocket } from "node:tls";
import { Aborted } from "#base/errors.ts";
import type { HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "#base/http.ts";
import { type PeerCertificate, peerCertificate, untrustedCertificate } from "./peer-certificate.ts";
import { StreamPacer } from "./stream-pacer.ts";
import { sniContexts, type TlsSettings, tlsServerOptions } from "./tls-settings.ts";

/** A connection without a request for this long is closed. */
const IDLE_MS = 90_000;
/** A body that is collected here must have come within this time; whoever gets a stream has limits of its own. */
const BODY_MS = 32_000;
/** A client that takes nothing of a stream for this long is cut off: what waits for it costs memory. */
const SLOW_CLIENT_MS = 30_000;
const HANDSHAKE_MS = 10_000;
/** How long a refused upload may go on before the connection is cut: clients read the answer only after sending. */
const LINGER_MS = 1_000;
const HEADER_BYTES_MAX = 1 << 20;
/** Bodies up to this size are collected before the handler runs; larger ones are streamed to it. */
const COLLECTED_BODY_BYTES_MAX = 256 << 10;
/** The error code of h2 for a client that asks too much. */
const ENHANCE_YOUR_CALM = 0xb;

export interface ServedRequest extends HttpRequest {
  readonly isHttp2: boolean;
  readonly peer: {
    readonly address: string;
    /** One of our CAs vouches for it. */
    readonly certificate?: PeerCertificate;
    /** None does. */
    readonly untrusted?: PeerCertificate;
  };
}

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

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

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

/** One TLS connection: it ends when no request is open for too long. Requests of h2 show no socket but a stand-in. */
class Connection {
  readonly socket: TLSSocket;
  /** One for all connections of the server. */
  readonly pacer: StreamPacer;
  readonly #idleMs: number;
  #openRequests = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, pacer: StreamPacer, idleMs: number) {
    this.socket = socket;
    this.pacer = pacer;
    this.#idleMs = idleMs;
    this.#startIdling();
  }

  beginRequest(): void {
    this.#openRequests++;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  endRequest(): void {
    if (--this.#openRequests === 0 && !this.socket.destroyed) this.#startIdling();
  }

  close(): void {
    clearTimeout(this.#idleTimer);
  }

  #startIdling(): void {
    this.#idleTimer = setTimeout(() => this.socket.destroy(), this.#idleMs);
  }
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
  const { socket } = connection;
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort(new Aborted("the client is gone")));
  connection.beginRequest(); // from here on the handler decides how long an answer may take
  try {
    const body = await requestBody(incoming, outgoing, socket);
    const request = servedRequest(incoming, socket, settings, body);
    const response = await options.handle(request, gone.signal);
    await writeResponse({ incoming, outgoing, socket, signal: gone.signal }, response, connection.pacer, options);
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

function servedRequest(
  incoming: Incoming,
  socket: TLSSocket,
  settings: TlsSettings,
  body: HttpBody | undefined,
): ServedRequest {
  const url = incoming.url ?? "/";
  const question = url.indexOf("?");
  const certificate = peerCertificate(socket, settings.clientCas);
  const untrusted = untrustedCertificate(socket, settings.clientCas);
  return {
    method: incoming.method ?? "GET",
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? "" : url.slice(question + 1),
    headers: headersOf(incoming),
    isHttp2: incoming.httpVersionMajor === 2,
    ...(body === undefined ? {} : { body }),
    peer: {
      address: socket.remoteAddress ?? "",
      ...(certificate === undefined ? {} : { certificate }),
      ...(untrusted === undefined ? {} : { untrusted }),
    },
  };
}

/**
 * Headers that occur more than once stay apart. node joins them with ", ", after which two groups and one group
 * with a comma in its name look alike: whoever chooses the name of a group could choose to be in another.
 */
function headersOf({ headers, rawHeaders }: Incoming): HttpHeaders {
  const apart = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    apart.set(name, [...(apart.get(name) ?? []), rawHeaders[i + 1] ?? ""]);
  }
  const repeated = [...apart].filter(([name, values]) => values.length > 1 && name in headers);
  return repeated.length === 0
    ? (headers as HttpHeaders)
    : { ...(headers as HttpHeaders), ...Object.fromEntries(repeated) };
}

async function requestBody(incoming: Incoming, outgoing: Outgoing, socket: TLSSocket): Promise<HttpBody | undefined> {
  const declared = incoming.headers["content-length"];
  const isChunked = incoming.headers["transfer-encoding"] !== undefined;
  const isH2 = incoming.httpVersionMajor === 2;
  if (declared === "0" || (declared === undefined && !isChunked && (!isH2 || incoming.method === "GET")))
    return undefined;
  if (declared === undefined || Number(declared) > COLLECTED_BODY_BYTES_MAX) {
    return { kind: "stream", chunks: incoming as AsyncIterable<Uint8Array> };
  }
  const chunks: Uint8Array[] = [];
  const timer = setTimeout(() => cutOff(outgoing, socket), BODY_MS);
  try {
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  } finally {
    clearTimeout(timer);
  }
  return { kind: "bytes", bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
}

/** Both ends of one exchange; the signal aborts when the client is gone. */
interface Wire {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly socket: TLSSocket;
  readonly signal: AbortSignal;
}

async function writeResponse(
  wire: Wire,
  response: HttpResponse,
  pacer: StreamPacer,
  options: HttpsServerOptions,
): Promise<void> {
  const { incoming, outgoing } = wire;
  outgoing.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) {
    if (name === "connection" && incoming.httpVersionMajor === 2) closeAfterwards(outgoing as Http2ServerResponse);
    else outgoing.setHeader(name, value as string | string[]);
  }
  const { body } = response;
  switch (body.kind) {
    case "bytes":
      outgoing.setHeader("content-length", body.bytes.length);
      return incoming.complete ? endWith(outgoing, body.bytes) : refuseUpload(incoming, outgoing, body.bytes);
    case "object":
      return endWith(outgoing, Buffer.from(JSON.stringify(body.value)));
    case "stream":
      return writeStream(wire, body.chunks, pacer, options.slowClientMs ?? SLOW_CLIENT_MS);
    case "events":
      throw new TypeError("decoded watch events cannot leave the process");
  }
}

/** "connection: close" in h2: no further requests are taken, those under way are answered. */
function closeAfterwards(outgoing: Http2ServerResponse): void {
  const { session } = outgoing.stream;
  outgoing.on("finish", () => session?.close());
}

function endWith(outgoing: Outgoing, bytes: Uint8Array): void {
  (outgoing as ServerResponse).end(bytes);
}

/** Answers while the client still sends: the rest is read and dropped for a moment, so that it sees the answer. */
async function refuseUpload(incoming: Incoming, outgoing: Outgoing, bytes: Uint8Array): Promise<void> {
  if (incoming.httpVersionMajor === 1) outgoing.setHeader("connection", "close");
  (outgoing as ServerResponse).write(bytes);
  incoming.resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    incoming.once("end", resolve);
    incoming.once("close", resolve);
    incoming.once("end", () => clearTimeout(timer));
  });
  outgoing.end();
}

/**
 * A watch: each chunk leaves at once as one TLS record. A client that does not read stops the source; one that takes
 * nothing for too long is cut off. One abort listener serves all waits: a watch is long, and what each chunk leaves
 * behind would add up.
 */
async function writeStream(
  { outgoing, socket, signal }: Wire,
  chunks: AsyncIterable<Uint8Array>,
  pacer: StreamPacer,
  slowClientMs: number,
): Promise<void> {
  if ("flushHeaders" in outgoing) outgoing.flushHeaders();
  const isHttp1 = !("stream" in outgoing);
  const iterator = chunks[Symbol.asyncIterator]();
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!signal.aborted) {
      const next = await new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (next === undefined || next.done) break;
      if (isHttp1) socket.cork();
      const hasRoom = (outgoing as ServerResponse).write(next.value);
      if (isHttp1) socket.uncork();
      if (!hasRoom && !signal.aborted) {
        const hasDrained = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(false), slowClientMs);
          wake = () => {
            clearTimeout(timer);
            resolve(true);
          };
          outgoing.once("drain", wake);
        });
        if (!hasDrained) return cutOff(outgoing, socket);
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (!pacer.written(resolve)) resolve();
      });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    const returned = iterator.return?.();
    // A source that is still busy when the client is gone ends by its own signal.
    if (signal.aborted) returned?.catch(() => undefined);
    else await returned;
  }
  if (!signal.aborted) outgoing.end();
}

/** Ends the exchange without an answer, or in the middle of it: on h2 the stream, otherwise the connection. */
function cutOff(outgoing: Outgoing, socket: Socket): void {
  if ("stream" in outgoing) outgoing.stream.close(ENHANCE_YOUR_CALM);
  else socket.destroy();
}
