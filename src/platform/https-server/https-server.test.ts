import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpResponse } from "#base/http.ts";
import { type CertificateOptions, issueCertificate, type KeyCertificate } from "../certificates/x509.ts";
import type { ServedRequest } from "./https-request.ts";
import { type HttpsServer, startHttpsServer } from "./https-server.ts";

const HOUR_MS = 3_600_000;
const issue = (options: Omit<CertificateOptions, "notBefore" | "notAfter">): KeyCertificate =>
  issueCertificate({
    usages: ["server", "client"],
    notBefore: Date.now() - HOUR_MS,
    notAfter: Date.now() + HOUR_MS,
    ...options,
  });

const ca = issue({ commonName: "ca", isCa: true });
const otherCa = issue({ commonName: "other-ca", isCa: true });
const serving = issue({ commonName: "server", issuer: ca, dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] });
const admin = issue({ commonName: "admin", organizations: ["system:masters", "ops"], issuer: ca });
const stranger = issue({ commonName: "stranger", issuer: otherCa });

const text = (status: number, value: string): HttpResponse => ({
  status,
  headers: { "content-type": "text/plain" },
  body: { kind: "bytes", bytes: new TextEncoder().encode(value) },
});

let server: HttpsServer;
let ended = 0;

async function handle(request: ServedRequest, signal: AbortSignal): Promise<HttpResponse> {
  switch (request.path) {
    case "/who":
      return text(200, JSON.stringify(request.peer.certificate ?? null));
    case "/echo": {
      const parts: Uint8Array[] = [];
      if (request.body?.kind === "bytes") parts.push(request.body.bytes);
      if (request.body?.kind === "stream") for await (const chunk of request.body.chunks) parts.push(chunk);
      return text(200, `${request.method} ${request.query} ${Buffer.concat(parts).length}`);
    }
    case "/refuse":
      return text(413, "too large");
    case "/stream":
      return { status: 200, headers: {}, body: { kind: "stream", chunks: ticks(signal) } };
    default:
      throw new Error("boom");
  }
}

async function* ticks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for (let i = 0; i < 3; i++) yield new TextEncoder().encode(`tick ${i}\n`);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  } finally {
    ended++;
  }
}

const tlsSettings = (pair: KeyCertificate) => ({
  cert: pair.certificatePem,
  key: pair.keyPem,
  clientCas: [{ name: "client-ca", pem: ca.certificatePem }],
});

beforeAll(async () => {
  server = await startHttpsServer({ host: "127.0.0.1", port: 0, tls: tlsSettings(serving), handle, onError: () => {} });
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: string;
}

function ask(
  path: string,
  options: { method?: string; body?: Uint8Array; client?: KeyCertificate; trust?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: "127.0.0.1",
        port: server.port,
        path,
        method: options.method ?? "GET",
        ca: options.trust ?? ca.certificatePem,
        agent: false,
        ...(options.client ? { cert: options.client.certificatePem, key: options.client.keyPem } : {}),
      },
      (incoming) => {
        let body = "";
        incoming.on("data", (chunk) => (body += chunk));
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body }));
        incoming.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(options.body);
  });
}

describe("HTTPS server", () => {
  it("serves HTTP/1.1 and h2 on one port", async () => {
    expect((await ask("/echo?a=1")).body).toBe("GET a=1 0");
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: ca.certificatePem });
    const stream = session.request({ ":path": "/echo?b=2" });
    let body = "";
    for await (const chunk of stream) body += chunk;
    session.close();
    expect(body).toBe("GET b=2 0");
  });

  it("reports the user of a client certificate", async () => {
    const { notAfterMs: _, fingerprint, ...who } = JSON.parse((await ask("/who", { client: admin })).body);
    expect(who).toMatchObject({
      commonName: "admin",
      organizations: ["system:masters", "ops"],
      signedBy: ["client-ca"],
    });
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect((await ask("/who")).body).toBe("null");
    expect((await ask("/who", { client: stranger })).body).toBe("null");
  });

  it("passes small and large bodies, and answers before a refused body is sent completely", async () => {
    expect((await ask("/echo", { method: "POST", body: new Uint8Array(1000) })).body).toBe("POST  1000");
    expect((await ask("/echo", { method: "POST", body: new Uint8Array(2_000_000) })).body).toBe("POST  2000000");
    expect(await ask("/refuse", { method: "POST", body: new Uint8Array(2_000_000) })).toEqual({
      status: 413,
      body: "too large",
    });
  });

  it.each([
    { head: "GET /who HTTP/1.1\r\nHost: a\r\nHost: a", status: "400 Bad Request" },
    { head: "GET /who HTTP/1.1", status: "400 Bad Request: missing required Host header" },
    { head: "GET /who HTTP/1.1\r\nHost: a b", status: "400 Bad Request: malformed Host header" },
    { head: "GET /%x HTTP/1.1\r\nHost: a", status: "400 Bad Request" },
    { head: "GET /who HTTP/2.0\r\nHost: a", status: "505 HTTP Version Not Supported: unsupported protocol version" },
    { head: "GET /who HTTP/1.0", status: "200 OK" },
    { head: "GET https://a/who HTTP/1.1\r\nHost: a", status: "200 OK" },
  ])("answers %j", async ({ head, status }) => {
    const socket = connectTls({ host: "127.0.0.1", port: server.port, ca: ca.certificatePem });
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    expect(answer.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
  });

  it("serves pipelined requests one after the other, bodies included", async () => {
    let [open, openMax] = [0, 0];
    const seen: string[] = [];
    const other = await startHttpsServer({
      host: "127.0.0.1",
      port: 0,
      tls: tlsSettings(serving),
      async handle(request) {
        openMax = Math.max(openMax, ++open);
        const body = request.body?.kind === "bytes" ? request.body.bytes : new Uint8Array();
        const parts: Uint8Array[] = [body];
        if (request.body?.kind === "stream") for await (const chunk of request.body.chunks) parts.push(chunk);
        seen.push(`${request.path} ${Buffer.concat(parts)}`);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return text(200, `<${request.path}>`);
      },
      onError: () => {},
    });
    const socket = connectTls({ host: "127.0.0.1", port: other.port, ca: ca.certificatePem });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
    const chunked = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n`;
    const many = Array.from({ length: 300 }, (_, i) => [get(`/a${i}`), post(`/b${i}`), chunked(`/c${i}`)].join(""));
    socket.write(`${many.join("")}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    const paths = many.flatMap((_, i) => [`/a${i}`, `/b${i}`, `/c${i}`]).concat("/last");
    expect([...answer.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
    expect(seen.slice(0, 3)).toEqual(["/a0 ", "/b0 abc", "/c0 def"]);
    expect(openMax).toBe(1);
    await other.close();
  });

  it("closes connections beyond the limit, and accepts others when there is room again", async () => {
    let crowded = 0;
    const small = await startHttpsServer({
      host: "127.0.0.1",
      port: 0,
      tls: tlsSettings(serving),
      connectionsMax: 2,
      handle,
      onError: () => {},
      onCrowded: () => crowded++,
    });
    const open = () => {
      const socket = connectTls({ host: "127.0.0.1", port: small.port, ca: ca.certificatePem });
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.on("error", () => {}).resume();
      return { socket, closed, isSecure: new Promise<void>((resolve) => socket.once("secureConnect", resolve)) };
    };
    const [first, second] = [open(), open()];
    await Promise.all([first.isSecure, second.isSecure]);
    await open().closed;
    expect(crowded).toBe(1);
    first.socket.end();
    await first.closed;
    const fourth = open();
    await fourth.isSecure;
    expect(crowded).toBe(1);
    for (const { socket } of [second, fourth]) socket.destroy();
    await small.close();
  });

  it("answers 500 when a handler throws, and continues", async () => {
    expect((await ask("/boom")).status).toBe(500);
    expect((await ask("/who")).status).toBe(200);
  });

  it("streams chunks as they arrive and ends the source when the client disconnects", async () => {
    const before = ended;
    const got = await new Promise<string>((resolve, reject) => {
      const outgoing = httpsRequest(
        { host: "127.0.0.1", port: server.port, path: "/stream", ca: ca.certificatePem, agent: false },
        (incoming) => {
          let body = "";
          incoming.on("data", (chunk) => {
            body += chunk;
            if (!body.includes("tick 2")) return;
            outgoing.destroy();
            resolve(body);
          });
          incoming.on("error", () => {});
        },
      );
      outgoing.on("error", reject);
      outgoing.end();
    });
    expect(got).toBe("tick 0\ntick 1\ntick 2\n");
    while (ended === before) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it("closes without waiting for a client that never finishes its handshake", async () => {
    const other = await startHttpsServer({
      host: "127.0.0.1",
      port: 0,
      tls: tlsSettings(serving),
      handle,
      onError: () => {},
    });
    const socket = connectTcp(other.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.resume();
    socket.write("\x16");
    await ask("/who"); // by now the server has accepted the other connection too
    // A handshake may take 32 seconds, this test 20.
    await other.close();
    await closed;
  }, 20_000);

  it("closes an idle h2 session without losing requests", async () => {
    const limits = { idleMs: 50, headMs: 10_000, prefaceMs: 10_000, lookMs: 10 };
    const options = { host: "127.0.0.1", port: 0, tls: tlsSettings(serving), handle, onError: () => {}, limits };
    const other = await startHttpsServer(options);
    const session = connectHttp2(`https://127.0.0.1:${other.port}`, { ca: ca.certificatePem });
    const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
    const farewell = new Promise<number>((resolve) => session.once("goaway", resolve));
    const stream = session.request({ ":path": "/who" });
    for await (const chunk of stream) expect(String(chunk)).toBe("null");
    expect(await farewell).toBe(0);
    await closed;
    await other.close();
  });

  it("serves a new certificate to new connections, and keeps the old one when the new is unusable", async () => {
    expect(() => server.update({ ...tlsSettings(serving), cert: "junk" })).toThrow();
    expect((await ask("/who")).status).toBe(200);
    const renewed = issue({ commonName: "renewed", issuer: otherCa, ipAddresses: ["127.0.0.1"] });
    server.update(tlsSettings(renewed));
    await expect(ask("/who")).rejects.toThrow();
    expect((await ask("/who", { trust: otherCa.certificatePem, client: admin })).body).toContain("admin");
    server.update(tlsSettings(serving));
  });

  it("presents the certificate of the requested host name", async () => {
    const named = issue({ commonName: "named", issuer: ca, dnsNames: ["special.example"] });
    server.update({
      ...tlsSettings(serving),
      sni: [{ names: ["*.example"], cert: named.certificatePem, key: named.keyPem }],
    });
    const subject = await new Promise<string>((resolve, reject) => {
      const socket = connectTls(
        { host: "127.0.0.1", port: server.port, servername: "special.example", ca: ca.certificatePem },
        () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });
    expect(subject).toBe("named");
    server.update(tlsSettings(serving));
  });
});
