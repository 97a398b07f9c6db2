// The HTTP client behind proxies. Run by http-client.test.ts.
import { createServer as createHttp, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import {
  bodyText,
  clientCertificate,
  eventually,
  failureOf,
  get,
  never,
  newAuthority,
  peerName,
  type RawServer,
  serverCertificate,
  startRawServer,
  startTestServer,
  type TestServer,
} from "./http-client.testing.ts";
import type { HttpClient, HttpClientOptions } from "./http-client.ts";

export function httpProxyContract(name: string, create: (options: HttpClientOptions) => Promise<HttpClient>): void {
  describe(`${name} goes through proxies`, () => {
    const authority = newAuthority("authority");
    const alice = clientCertificate(authority, "alice");
    const credentials = { ca: authority.certificatePem, cert: alice.certificatePem, key: alice.keyPem };
    const closers: (() => unknown)[] = [];
    let server: TestServer;
    let plain: RawServer;

    beforeAll(async () => {
      server = await startTestServer(serverCertificate(authority), authority, (request, response) => {
        const reply = peerName(request);
        response.writeHead(200, { "content-length": reply.length });
        response.end(reply);
      });
      plain = await startRawServer((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nplain"));
    });
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close();
    });
    afterAll(async () => {
      await server.close();
      await plain.close();
    });

    const make = async (options: Partial<HttpClientOptions>): Promise<HttpClient> => {
      const client = await create({ baseUrl: server.url, ...credentials, ...options });
      closers.push(() => client.close());
      return client;
    };

    /** Returns the proxy's URL and the requests that it received. */
    async function startProxy(scheme: "http" | "https", login = ""): Promise<{ url: string; asked: string[] }> {
      const asked: string[] = [];
      const note = (request: IncomingMessage): void => {
        const { host, "proxy-authorization": authorization = "" } = request.headers;
        asked.push(`${request.method} ${request.url} ${host} ${authorization}`.trim());
      };
      const { certificatePem: cert, keyPem: key } = serverCertificate(authority);
      const proxy: Server = scheme === "http" ? createHttp() : createHttps({ cert, key });
      const open = new Set<Duplex>();
      proxy.on("connect", (request, socket, head) => {
        note(request);
        const [host, port] = (request.url ?? "").split(":");
        const upstream = connect(Number(port), host, () => {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          upstream.write(head);
          upstream.pipe(socket).pipe(upstream);
        });
        for (const end of [socket, upstream]) {
          open.add(end);
          end.on("error", () => undefined);
          end.on("close", () => {
            open.delete(end);
            upstream.destroy();
            socket.destroy();
          });
        }
      });
      proxy.on("request", (request, response) => {
        note(request);
        response.writeHead(200, { "content-length": "7" });
        response.end("proxied");
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      closers.push(() => {
        for (const end of open) end.destroy();
        proxy.closeAllConnections();
        proxy.close();
      });
      const { port } = proxy.address() as AddressInfo;
      return { url: `${scheme}://${login}127.0.0.1:${port}`, asked };
    }

    it.each(["http", "https"] as const)("an %s proxy passes TLS on to the server", async (scheme) => {
      const { url, asked } = await startProxy(scheme, "user:s%3Acret@");
      const client = await make({ proxyUrl: url });
      for (let i = 0; i < 3; i++) expect(await bodyText(await client.send(get("/"), never()))).toBe("alice");
      const authorization = `Basic ${btoa("user:s:cret")}`;
      const place = `127.0.0.1:${server.port}`;
      expect(asked).toEqual([`CONNECT ${place} ${place} ${authorization}`]);
    });

    it("the server's certificate is verified behind a proxy, too", async () => {
      const { url } = await startProxy("http");
      expect(await failureOf((await make({ proxyUrl: url, serverName: "api.example" })).send(get("/"), never()))).toBe(
        "tls",
      );
      const ca = newAuthority("stranger").certificatePem;
      expect(await failureOf((await make({ proxyUrl: url, ca })).send(get("/"), never()))).toBe("tls");
    });

    it.each(["http", "https"] as const)("an %s proxy is asked for plain URLs", async (scheme) => {
      const { url, asked } = await startProxy(scheme, "user@");
      const client = await make({ baseUrl: `http://api.example:81/p/`, proxyUrl: url });
      for (let i = 0; i < 2; i++) expect(await bodyText(await client.send(get("/a", "b=c"), never()))).toBe("proxied");
      const expected = `GET http://api.example:81/p/a?b=c api.example:81 Basic ${btoa("user:")}`;
      expect(asked).toEqual([expected, expected]);
    });

    it("reports the proxy's refusal", async () => {
      const refusing = await startRawServer((socket) => {
        socket.write("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      });
      closers.push(() => refusing.close());
      const sending = (await make({ proxyUrl: refusing.url })).send(get("/"), never());
      sending.catch(() => undefined);
      expect(await failureOf(sending)).toBe("other");
      await expect(sending).rejects.toThrow("the proxy answered CONNECT with status 407");
      await eventually(() => refusing.sockets.size === 0);
    });

    it("a proxy that is missing, hangs up, answers malformed or not at all", async () => {
      const closed = await startRawServer(() => undefined);
      await closed.close();
      expect(await failureOf((await make({ proxyUrl: closed.url })).send(get("/"), never()))).toBe("refused");
      for (const [answer, failure] of [
        ["", "reset"],
        ["220 smtp.example\r\n", "protocol"],
      ] as const) {
        const odd = await startRawServer((socket) => socket.end(answer));
        closers.push(() => odd.close());
        expect(await failureOf((await make({ proxyUrl: odd.url })).send(get("/"), never()))).toBe(failure);
      }
      const silent = await startRawServer(() => undefined);
      closers.push(() => silent.close());
      const controller = new AbortController();
      const reason = new Aborted("stop");
      const sending = (await make({ proxyUrl: silent.url })).send(get("/"), controller.signal);
      sending.catch(() => undefined);
      await eventually(() => silent.received.length === 1 && silent.received[0] !== "");
      controller.abort(reason);
      await expect(sending).rejects.toBe(reason);
      await eventually(() => silent.sockets.size === 0);
    });
  });
}
