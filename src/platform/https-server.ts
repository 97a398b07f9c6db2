// HTTPS for the embedded API server and for the daemon's own port: HTTP/1.1 and h2 on one socket,
// client certificates, certificate reload, and time limits of our own. A node:tls server hands its
// sockets to http and http2 servers because only so are client certificates seen on Bun too.

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer, type Server, type TLSSocket } from "node:tls";
import { Aborted } from "#base/errors.ts";
import type { HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "#base/http.ts";
import { type PeerCertificate, peerCertificate, untrustedCertificate } from "./peer-certificate.ts";
import { sniContexts, type TlsSettings, tlsServerOptions } from "./tls-settings.ts";

/** A connection without a request for this long is closed. */
const IDLE_MS = 90_000;
/** A request's headers, and each pause in its body, may take this long. */
const REQUEST_PAUSE_MS = 32_000;
const HANDSHAKE_MS = 10_000;
/** How long a refused upload may go on before the connection is cut: clients read the answer only after sending. */
const LINGER_MS = 1_000;
const HEADER_BYTES_MAX = 1 << 20;
/** Bodies up to this size are collected before the handler runs; larger ones are streamed to it. */
const COLLECTED_BODY_BYTES_MAX = 256 << 10;

export interface ServedRequest extends HttpRequest {
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
  /** The signal aborts when the client goes away or the server closes. */
  handle(request: ServedRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** A handler that threw; the client got a 500. */
  onError(error: unknown): void;
  onHandshakeError?(error: Error): void;
}

export interface HttpsServer {
  readonly host: string;
  readonly port: number;
  /** New connections get the new settings; open ones live on. Throws, and changes nothing, when they are unusable. */
  update(tls: TlsSettings): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

export async function startHttpsServer(options: HttpsServerOptions): Promise<HttpsServer> {
  let settings = options.tls;
  let contextFor = sniContexts(settings);
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    void serve(incoming, outgoing, settings, options);
  };
  const http1 = createHttpServer({ maxHeaderSize: HEADER_BYTES_MAX }, onRequest);
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: options.http2StreamsMax || 100 } }, onRequest);
  const sockets = new Set<Socket>();
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
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy()); // a peer that resets is gone; there is nobody to tell
      socket.setTimeout(IDLE_MS, () => socket.destroy());
      (socket.alpnProtocol === "h2" ? http2 : http1).emit("connection", socket);
    },
  );
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
    update(tls) {
      const contexts = sniContexts(tls);
      server.setSecureContext(tlsServerOptions(tls));
      contextFor = contexts;
      settings = tls;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(
  incoming: Incoming,
  outgoing: Outgoing,
  settings: TlsSettings,
  options: HttpsServerOptions,
): Promise<void> {
  const socket = incoming.socket as TLSSocket;
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort(new Aborted("the client is gone")));
  socket.setTimeout(REQUEST_PAUSE_MS);
  try {
    const body = await requestBody(incoming);
    const request = servedRequest(incoming, socket, settings, body);
    socket.setTimeout(0); // from here on the handler decides how long an answer may take
    const response = await options.handle(request, gone.signal);
    await writeResponse(incoming, outgoing, socket, response, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    options.onError(error);
    if (outgoing.headersSent) outgoing.destroy();
    else {
      outgoing.statusCode = 500;
      outgoing.end("internal error\n");
    }
  } finally {
    if (!socket.destroyed) socket.setTimeout(IDLE_MS);
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
    headers: incoming.headers as HttpHeaders,
    ...(body === undefined ? {} : { body }),
    peer: {
      address: socket.remoteAddress ?? "",
      ...(certificate === undefined ? {} : { certificate }),
      ...(untrusted === undefined ? {} : { untrusted }),
    },
  };
}

async function requestBody(incoming: Incoming): Promise<HttpBody | undefined> {
  const declared = incoming.headers["content-length"];
  const isChunked = incoming.headers["transfer-encoding"] !== undefined;
  const isH2 = incoming.httpVersionMajor === 2;
  if (declared === "0" || (declared === undefined && !isChunked && (!isH2 || incoming.method === "GET")))
    return undefined;
  if (declared === undefined || Number(declared) > COLLECTED_BODY_BYTES_MAX) {
    return { kind: "stream", chunks: incoming as AsyncIterable<Uint8Array> };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  return { kind: "bytes", bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
}

async function writeResponse(
  incoming: Incoming,
  outgoing: Outgoing,
  socket: TLSSocket,
  response: HttpResponse,
  signal: AbortSignal,
): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) outgoing.setHeader(name, value as string | string[]);
  const { body } = response;
  switch (body.kind) {
    case "bytes":
      outgoing.setHeader("content-length", body.bytes.length);
      return incoming.complete ? endWith(outgoing, body.bytes) : refuseUpload(incoming, outgoing, body.bytes);
    case "object":
      return endWith(outgoing, Buffer.from(JSON.stringify(body.value)));
    case "stream":
      return writeStream(outgoing, socket, body.chunks, signal);
    case "events":
      throw new TypeError("decoded watch events cannot leave the process");
  }
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

/** A watch: each chunk leaves at once as one TLS record; a client that does not read stops the source. */
async function writeStream(
  outgoing: Outgoing,
  socket: TLSSocket,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  if ("flushHeaders" in outgoing) outgoing.flushHeaders();
  const isHttp1 = "socket" in outgoing && outgoing.socket === socket;
  for await (const chunk of untilAborted(chunks, signal)) {
    if (isHttp1) socket.cork();
    const hasRoom = (outgoing as ServerResponse).write(chunk);
    if (isHttp1) socket.uncork();
    if (!hasRoom) await drained(outgoing, signal);
  }
  if (!signal.aborted) outgoing.end();
}

async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorResult<Uint8Array>>((resolve) => {
    const end = (): void => resolve({ done: true, value: undefined });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function drained(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
