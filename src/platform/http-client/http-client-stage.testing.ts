// For the contracts of the HTTP client: a server with scripted answers, and clients that trust it.
import { afterAll, beforeAll } from "vitest";
import type { KeyCertificate } from "../certificates/x509.ts";
import {
  type IncomingMessage,
  newAuthority,
  type ServerResponse,
  serverCertificate,
  startTestServer,
  type TestServer,
} from "./http-client.testing.ts";
import type { HttpClient, HttpClientOptions } from "./http-client.ts";

export interface ClientStage {
  readonly authority: KeyCertificate;
  readonly server: TestServer;
  /** The server's handler, which tests replace. */
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** A client that is closed after the tests. */
  make(options?: Partial<HttpClientOptions>): HttpClient;
}

/** One stage for all tests of a describe block. */
export function clientStage(create: (options: HttpClientOptions) => HttpClient): ClientStage {
  const authority = newAuthority("authority");
  const clients: HttpClient[] = [];
  const stage = {
    authority,
    server: undefined as unknown as TestServer,
    answer: (() => undefined) as ClientStage["answer"],
    make(options: Partial<HttpClientOptions> = {}): HttpClient {
      const client = create({ baseUrl: stage.server.url, ca: authority.certificatePem, ...options });
      clients.push(client);
      return client;
    },
  };
  beforeAll(async () => {
    stage.server = await startTestServer(serverCertificate(authority), authority, (request, response) => {
      void stage.answer(request, response);
    });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await stage.server.close();
  });
  return stage;
}
