// For tests: servers with scripted answers on free loopback ports, their certificates, and views of a client's
// requests.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { type HttpRequest, type HttpResponse, TransportError } from "#base/http.ts";
import { type CertificateOptions, issueCertificate, type KeyCertificate } from "../certificates/x509.ts";

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Sockets that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many sockets were opened in total. */
  readonly acceptedCount: number;
  setCertificate(certificate: KeyCertificate): void;
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const validity = (): Pick<CertificateOptions, "notBefore" | "notAfter"> => ({
  notBefore: Date.now() - dayMs,
  notAfter: Date.now() + dayMs,
});

export function newAuthority(commonName: string): KeyCertificate {
  return issueCertificate({ commonName, isCa: true, ...validity() });
}

export function serverCertificate(issuer: KeyCertificate, names: Partial<CertificateOptions> = {}): KeyCertificate {
  const loopback = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  return issueCertificate({ commonName: "server", usages: ["server"], issuer, ...loopback, ...validity(), ...names });
}

export function clientCertificate(
  issuer: KeyCertificate,
  commonName: string,
  organizations: readonly string[] = [],
): KeyCertificate {
  return issueCertificate({ commonName, organizations, usages: ["client"], issuer, ...validity() });
}

/** Serves over TLS. Requests a client certificate from any authority but does not require one. */
export async function startTestServer(
  certificate: KeyCertificate,
  clientCa: KeyCertificate,
  handler: RequestListener,
): Promise<TestServer> {
  const http = createServer(handler);
  const contextOf = ({ certificatePem, keyPem }: KeyCertificate) => ({
    cert: certificatePem,
    key: keyPem,
    ca: clientCa.certificatePem,
  });
  const server = createTlsServer(
    { ...contextOf(certificate), requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
    (socket) => http.emit("connection", socket),
  );
  const sockets = new Set<Socket>();
  let acceptedCount = 0;
  server.on("secureConnection", (socket) => {
    acceptedCount++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    sockets,
    get acceptedCount() {
      return acceptedCount;
    },
    setCertificate: (next) => server.setSecureContext(contextOf(next)),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The common name of the client's certificate; "" without a certificate. */
export function peerName(request: IncomingMessage): string {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  return String(subject?.CN ?? "");
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Waits until the condition holds. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
}

export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** The bytes that each connection has sent so far. */
  readonly received: string[];
  /** Open sockets. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** Plain TCP. The handler is called for every chunk with the connection's number and all that it has sent so far. */
export async function startRawServer(
  onData: (socket: Socket, received: string, connection: number) => void,
): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    const connection = received.push("") - 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => {
      received[connection] += data.toString("latin1");
      onData(socket, received[connection] as string, connection);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const get = (path: string, query = ""): HttpRequest => ({ method: "GET", path, query, headers: {} });
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const never = (): AbortSignal => new AbortController().signal;

export async function bodyText({ body }: HttpResponse): Promise<string> {
  if (body.kind === "bytes") return text(body.bytes);
  if (body.kind !== "stream") throw new Error(`unexpected body of kind ${body.kind}`);
  let all = "";
  for await (const chunk of body.chunks) all += text(chunk);
  return all;
}

export function chunksOf({ body }: HttpResponse): AsyncIterator<Uint8Array> {
  if (body.kind !== "stream") throw new Error(`expected a stream, got ${body.kind}`);
  return body.chunks[Symbol.asyncIterator]();
}

export const failureOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TransportError)) throw new Error("expected a TransportError", { cause: error });
  return error.failure;
};

export type { IncomingMessage, ServerResponse };
