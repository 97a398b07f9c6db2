// For tests: API servers on virtual clocks behind one HTTPS port, reached over real sockets. Every exchange is tracked
// at both ends, so that a clock can tell when all sent data has arrived. No test has to guess the network's delay.

import { randomUUID } from "node:crypto";
import type { ApiServer } from "#apiserver/create-api-server.ts";
import { startTestServer, type TestClient, type TestSubject, testClient } from "#apiserver/testing.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { hostTurn } from "#base/testing.ts";
import type { KeyCertificate } from "../certificates/x509.ts";
import { clientCertificate, newAuthority, serverCertificate } from "../http-client/http-client.testing.ts";
import type { HttpClientOptions } from "../http-client/http-client.ts";
import type { ServedRequest } from "./https-request.ts";
import { type HttpsServer, type HttpsServerOptions, startHttpsServer } from "./https-server.ts";
import type { TlsSettings } from "./tls-settings.ts";

const EXCHANGE_HEADER = "x-test-exchange";

/** One request and its answer, seen from both ends. */
interface Exchange {
  readonly server: ApiServer;
  hasArrived: boolean;
  isAnswered: boolean;
  isReceived: boolean;
  hasFailed: boolean;
  isReading: boolean;
  sentBytes: number;
  readBytes: number;
  isSentWhole: boolean;
  isReadWhole: boolean;
  hasLeft: boolean;
  isReleased: boolean;
}

function isAtRest(exchange: Exchange): boolean {
  if (exchange.hasLeft) return !exchange.hasArrived || exchange.isReleased;
  if (exchange.hasFailed) return true;
  if (!exchange.hasArrived) return false;
  if (!exchange.isAnswered) return true; // it waits for the clock, or for another request
  if (!exchange.isReceived) return false;
  if (!exchange.isReading) return true;
  return exchange.sentBytes === exchange.readBytes && exchange.isSentWhole === exchange.isReadWhole;
}

const authority = newAuthority("test-ca");
const admin = clientCertificate(authority, "admin", ["system:masters"]);

export function servingSettings(pair: KeyCertificate = serverCertificate(authority)): TlsSettings {
  return {
    cert: pair.certificatePem,
    key: pair.keyPem,
    clientCas: [{ name: "client-ca", pem: authority.certificatePem }],
  };
}

export function adminOptions(port: number): HttpClientOptions & { ca: string; cert: string; key: string } {
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    ca: authority.certificatePem,
    cert: admin.certificatePem,
    key: admin.keyPem,
  };
}

export class ApiServersOverHttps {
  readonly https: HttpsServer;
  readonly errors: unknown[] = [];
  readonly #exchanges: Map<string, Exchange>;
  readonly #servers: ApiServer[] = [];

  private constructor(https: HttpsServer, exchanges: Map<string, Exchange>, errors: unknown[]) {
    this.https = https;
    this.#exchanges = exchanges;
    this.errors = errors;
  }

  static async start(options: Partial<HttpsServerOptions> = {}): Promise<ApiServersOverHttps> {
    const exchanges = new Map<string, Exchange>();
    const errors: unknown[] = [];
    const https = await startHttpsServer({
      host: "127.0.0.1",
      port: 0,
      tls: servingSettings(),
      handle: (request, signal) => serve(exchanges.get(String(request.headers[EXCHANGE_HEADER])), request, signal),
      onError: (error) => errors.push(error),
      ...options,
    });
    return new ApiServersOverHttps(https, exchanges, errors);
  }

  subject(name: string, transport: Transport): TestSubject {
    return {
      name,
      start: async (options) => {
        const server = startTestServer({ turn: () => this.#turn(), ...options });
        this.#servers.push(server.server);
        return { ...server, client: this.#client(server.server, transport) };
      },
    };
  }

  /** Returns the header for a request that a test sends itself. Such a request never keeps the world busy. */
  unobserved(server: ApiServer): { readonly header: readonly [string, string]; isReleased(): boolean } {
    const id = randomUUID();
    const exchange = { ...newExchange(server), hasFailed: true };
    this.#exchanges.set(id, exchange);
    return { header: [EXCHANGE_HEADER, id], isReleased: () => exchange.isReleased };
  }

  /** Ends the watches after each test. */
  closeServers(): void {
    for (const server of this.#servers.splice(0)) server.close();
    this.#exchanges.clear();
  }

  #client(server: ApiServer, transport: Transport): TestClient {
    return testClient({ send: (request, signal) => this.#send(server, transport, request, signal) });
  }

  async #send(server: ApiServer, transport: Transport, request: HttpRequest, signal: AbortSignal) {
    const id = randomUUID();
    const exchange = newExchange(server);
    this.#exchanges.set(id, exchange);
    signal.addEventListener("abort", () => (exchange.hasLeft = true), { once: true });
    try {
      const response = await transport.send(
        { ...asBytes(request), headers: { ...request.headers, [EXCHANGE_HEADER]: id } },
        signal,
      );
      exchange.isReceived = true;
      return countRead(response, exchange);
    } catch (error) {
      exchange.hasFailed = true;
      throw error;
    }
  }

  /** The world is at rest when all sent data has arrived, and this still holds after another turn. */
  async #turn(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 2; ) {
      await hostTurn();
      quietTurns = this.#exchanges.values().every(isAtRest) ? quietTurns + 1 : 0;
    }
  }
}

function newExchange(server: ApiServer): Exchange {
  return {
    server,
    hasArrived: false,
    isAnswered: false,
    isReceived: false,
    hasFailed: false,
    isReading: false,
    sentBytes: 0,
    readBytes: 0,
    isSentWhole: false,
    isReadWhole: false,
    hasLeft: false,
    isReleased: false,
  };
}

async function serve(
  exchange: Exchange | undefined,
  request: ServedRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  if (exchange === undefined) throw new Error("a request of a test that is over");
  exchange.hasArrived = true;
  signal.addEventListener("abort", () => (exchange.isReleased = true), { once: true });
  const response = await exchange.server.handle(request, signal);
  exchange.isAnswered = true;
  if (response.body.kind !== "stream") return response;
  const { chunks } = response.body;
  const counted = observe(
    chunks,
    (bytes) => (exchange.sentBytes += bytes),
    () => (exchange.isSentWhole = true),
  );
  return { ...response, body: { kind: "stream", chunks: counted } };
}

function countRead(response: HttpResponse, exchange: Exchange): HttpResponse {
  if (response.body.kind !== "stream") return response;
  const { chunks } = response.body;
  const counted: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => {
      exchange.isReading = true;
      return observe(
        chunks,
        (bytes) => (exchange.readBytes += bytes),
        () => (exchange.isReadWhole = true),
      )[Symbol.asyncIterator]();
    },
  };
  return { ...response, body: { kind: "stream", chunks: counted } };
}

function observe(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = chunks[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next().catch((error: unknown) => {
            onEnd();
            throw error;
          });
          if (next.done) onEnd();
          else onBytes(next.value.length);
          return next;
        },
        async return() {
          onEnd();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function asBytes({ body, ...request }: HttpRequest): HttpRequest {
  if (body?.kind !== "object") return body === undefined ? request : { ...request, body };
  return { ...request, body: { kind: "bytes", bytes: new TextEncoder().encode(stringifyJson(body.value)) } };
}
