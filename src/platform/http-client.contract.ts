// What the HTTP client keeps on every runtime and its sockets, over TLS: run by http-client.test.ts.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import type { HttpRequest } from "#base/http.ts";
import { countListeners } from "#base/testing.ts";
import {
  bodyText,
  chunksOf,
  clientCertificate,
  eventually,
  failureOf,
  get,
  type IncomingMessage,
  never,
  newAuthority,
  peerName,
  readBody,
  type ServerResponse,
  serverCertificate,
  startTestServer,
  type TestServer,
  text,
} from "./http-client.testing.ts";
import type { HttpClient, HttpClientOptions } from "./http-client.ts";

export function httpClientContract(name: string, create: (options: HttpClientOptions) => HttpClient): void {
  describe(`${name} keeps the HTTP client contract`, () => {
    const authority = newAuthority("authority");
    const stranger = newAuthority("stranger");
    const clients: HttpClient[] = [];
    let server: TestServer;
    let answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

    const make = (options: Partial<HttpClientOptions> = {}): HttpClient => {
      const client = create({ baseUrl: server.url, ca: authority.certificatePem, ...options });
      clients.push(client);
      return client;
    };

    beforeAll(async () => {
      server = await startTestServer(serverCertificate(authority), authority, (request, response) => {
        void answer(request, response);
      });
    });
    afterAll(async () => {
      for (const client of clients) client.close();
      await server.close();
    });

    describe("exchanges", () => {
      it("sends method, path, query, headers and bytes as they are, and returns the answer in one piece", async () => {
        answer = async (request, response) => {
          const body = await readBody(request);
          const { host, ...headers } = request.headers;
          expect(host).toBe(`127.0.0.1:${server.port}`);
          const { "x-own": own, "content-type": type, "content-length": length } = headers;
          const reply = JSON.stringify([request.method, request.url, own, type, length, body.toString("hex")]);
          response.writeHead(201, {
            "content-type": "application/json",
            "content-length": reply.length,
            "X-Mixed": "Case",
          });
          response.end(reply);
        };
        const request: HttpRequest = {
          method: "PATCH",
          path: "/api/v1/namespaces/a%2Fb/pods",
          query: "fieldManager=x&dryRun=All&q=%C3%A9",
          headers: { "content-type": "application/merge-patch+json", "x-own": ["a", "b"] },
          body: { kind: "bytes", bytes: new Uint8Array([0, 255, 10]) },
        };
        const response = await make({ baseUrl: `${server.url}/clusters/one/` }).send(request, never());
        expect([response.status, response.headers["x-mixed"], response.body.kind]).toEqual([201, "Case", "bytes"]);
        expect(JSON.parse(await bodyText(response))).toEqual([
          "PATCH",
          "/clusters/one/api/v1/namespaces/a%2Fb/pods?fieldManager=x&dryRun=All&q=%C3%A9",
          "a, b",
          "application/merge-patch+json",
          "3",
          "00ff0a",
        ]);
      });

      it("keeps large bodies whole in both directions, known in length or streamed", async () => {
        answer = async (request, response) => {
          response.writeHead(200);
          response.end(await readBody(request));
        };
        const bytes = new Uint8Array(5 * 1024 * 1024).map((_, i) => (i * 31) & 0xff);
        async function* parts(): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
        }
        for (const body of [{ kind: "bytes", bytes } as const, { kind: "stream", chunks: parts() } as const]) {
          const response = await make().send({ ...get("/"), method: "POST", body }, never());
          const received: Uint8Array[] = [];
          if (response.body.kind === "bytes") received.push(response.body.bytes);
          if (response.body.kind === "stream") for await (const chunk of response.body.chunks) received.push(chunk);
          expect(Buffer.concat(received).equals(bytes)).toBe(true);
        }
      });

      it("takes answers without a body: HEAD, 204, 304", async () => {
        answer = (request, response) => {
          if (request.method === "HEAD") response.writeHead(200, { "content-length": "12345" });
          else response.writeHead(Number(request.url?.slice(1)));
          response.end();
        };
        const client = make();
        for (const [method, path] of [
          ["HEAD", "/"],
          ["GET", "/204"],
          ["GET", "/304"],
        ] as const) {
          const { body } = await client.send({ ...get(path), method }, never());
          expect(body).toEqual({ kind: "bytes", bytes: new Uint8Array(0) });
        }
      });

      it("neither follows redirects nor inflates bodies, and returns error statuses as answers", async () => {
        answer = (request, response) => {
          if (request.url === "/moved") response.writeHead(307, { location: "/elsewhere", "content-length": "0" });
          else
            response.writeHead(503, {
              "content-encoding": "gzip",
              "content-length": "4",
              "set-cookie": ["a=1", "b=2"],
            });
          response.end(request.url === "/moved" ? "" : "raw!");
          expect(request.headers["accept-encoding"]).toBe("identity");
        };
        const client = make();
        const moved = await client.send(get("/moved"), never());
        expect([moved.status, moved.headers.location]).toEqual([307, "/elsewhere"]);
        const failed = await client.send(get("/zip"), never());
        expect([failed.status, await bodyText(failed), failed.headers["set-cookie"]]).toEqual([
          503,
          "raw!",
          ["a=1", "b=2"],
        ]);
      });

      it("uses connections again", async () => {
        answer = (_request, response) => {
          response.writeHead(200, { "content-length": "2" });
          response.end("ok");
        };
        const client = make();
        const before = server.acceptedCount;
        for (let i = 0; i < 20; i++) await client.send(get("/"), never());
        expect(server.acceptedCount - before).toBeLessThanOrEqual(2);
      });

      it("does not send what only works inside a process", async () => {
        const body = { kind: "object", value: {} } as const;
        expect(await failureOf(make().send({ ...get("/"), method: "POST", body }, never()))).toBe("protocol");
      });
    });

    describe("streams", () => {
      it("hands over the headers before the first byte, and each chunk as it comes", async () => {
        let stream: ServerResponse | undefined;
        answer = (_request, response) => {
          stream = response;
          response.writeHead(200, { "content-type": "application/json" });
          response.flushHeaders();
        };
        const response = await make().send(get("/watch", "watch=1"), never());
        expect([response.status, response.body.kind]).toEqual([200, "stream"]);
        const chunks = chunksOf(response);
        for (const event of ["one", "two", "three"]) {
          const next = chunks.next();
          stream?.write(event);
          expect(text((await next).value)).toBe(event);
        }
        const last = chunks.next();
        stream?.end();
        expect((await last).done).toBe(true);
      });

      it("a stream that is cut in the middle is an error, not an end", async () => {
        answer = (_request, response) => {
          response.writeHead(200);
          response.write("half a line");
          setTimeout(() => response.socket?.destroy(), 20);
        };
        const response = await make().send(get("/"), never());
        expect(await failureOf(bodyText(response))).toBe("reset");
      });

      it("a stream that is reset is an error", async () => {
        const raw = createServer((socket) => {
          socket.on("error", () => undefined);
          socket.once("data", () => {
            socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n");
            setTimeout(() => socket.resetAndDestroy(), 20);
          });
        });
        await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
        const { port } = raw.address() as AddressInfo;
        const response = await make({ baseUrl: `http://127.0.0.1:${port}` }).send(get("/"), never());
        expect(await failureOf(bodyText(response))).toBe("reset");
        raw.close();
      });

      it("a body that is shorter than its length is an error", async () => {
        answer = (_request, response) => {
          response.writeHead(200, { "content-length": "100" });
          response.write("too short");
          setTimeout(() => response.socket?.destroy(), 20);
        };
        expect(await failureOf(make().send(get("/"), never()))).toBe("reset");
      });

      it("aborting ends the exchange at once and frees the socket: before headers, in mid-stream, in a whole body", async () => {
        const sockets = new Map<string, Socket>();
        answer = (request, response) => {
          const path = request.url ?? "";
          sockets.set(path, request.socket);
          if (path === "/silent") return;
          response.writeHead(200, path === "/length" ? { "content-length": "100" } : {});
          response.write("first");
        };
        const client = make();
        for (const path of ["/silent", "/stream", "/length"]) {
          const controller = new AbortController();
          const listeners = countListeners(controller.signal);
          const reason = new Aborted("stop");
          const reading = client.send(get(path), controller.signal).then(bodyText);
          await eventually(() => sockets.has(path));
          setTimeout(() => controller.abort(reason), 20);
          await expect(reading).rejects.toBe(reason);
          await eventually(() => sockets.get(path)?.destroyed === true);
          expect(listeners()).toBe(0);
          await expect(client.send(get(path), controller.signal)).rejects.toBe(reason);
        }
      });

      it.each(["before it began", "in the middle"])("ending the iteration %s frees the socket", async (when) => {
        let socket: Socket | undefined;
        answer = (request, response) => {
          socket = request.socket;
          response.writeHead(200);
          const timer = setInterval(() => response.write("event"), 5);
          response.on("close", () => clearInterval(timer));
        };
        const chunks = chunksOf(await make().send(get("/"), never()));
        if (when === "in the middle") await chunks.next();
        expect(await chunks.return?.()).toEqual({ done: true, value: undefined });
        await eventually(() => socket?.destroyed === true);
      });

      it("leaves no listener on a signal that outlives its exchanges", async () => {
        answer = (request, response) => {
          response.writeHead(200, request.url === "/stream" ? {} : { "content-length": "2" });
          response.end("ok");
        };
        const client = make();
        const controller = new AbortController();
        const listeners = countListeners(controller.signal);
        for (let i = 0; i < 50; i++) {
          expect(await bodyText(await client.send(get(i % 2 === 0 ? "/stream" : "/whole"), controller.signal))).toBe(
            "ok",
          );
        }
        await eventually(() => listeners() === 0);
      });

      it("keeps more than 256 streams open at once, and closes them all", async () => {
        const count = 300;
        const streams: ServerResponse[] = [];
        answer = (_request, response) => {
          streams.push(response);
          response.writeHead(200);
          response.write("open");
        };
        const client = make();
        const controller = new AbortController();
        const responses = await Promise.all(
          Array.from({ length: count }, (_, i) => client.send(get(`/${i}`), controller.signal)),
        );
        const iterators = responses.map(chunksOf);
        expect((await Promise.all(iterators.map((chunks) => chunks.next()))).length).toBe(count);
        for (const stream of streams) stream.write("event");
        for (const { value } of await Promise.all(iterators.map((chunks) => chunks.next())))
          expect(text(value)).toBe("event");
        const ends = Promise.allSettled(iterators.map((chunks) => chunks.next()));
        controller.abort(new Aborted());
        expect((await ends).every((end) => end.status === "rejected")).toBe(true);
        await eventually(() => streams.every((stream) => stream.socket?.destroyed !== false));
      }, 30_000);

      it("answers many requests for whole answers at once, and can abort any of them", async () => {
        const silent: Socket[] = [];
        answer = (request, response) => {
          if (request.url === "/silent") return void silent.push(request.socket);
          response.writeHead(200);
          response.write("in ");
          response.end(`pieces ${request.url}`);
        };
        const client = make();
        const whole = (path: string): HttpRequest => ({ ...get(path), whole: true });
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, i) => client.send(whole(`/${i}`), never()).then(bodyText)),
        );
        expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => `in pieces /${i}`));
        const controller = new AbortController();
        const listeners = countListeners(controller.signal);
        const reason = new Aborted("stop");
        const stuck = Array.from({ length: 100 }, () => client.send(whole("/silent"), controller.signal));
        const ends = Promise.allSettled(stuck);
        await eventually(() => silent.length > 0);
        controller.abort(reason);
        for (const end of await ends) expect(end).toEqual({ status: "rejected", reason });
        await eventually(() => silent.every(({ destroyed }) => destroyed));
        expect(listeners()).toBe(0);
        expect(await client.send(whole("/after"), never()).then(bodyText)).toBe("in pieces /after");
      });

      it("waits through silence, before the headers and in mid-stream", async () => {
        answer = (_request, response) => {
          setTimeout(() => {
            response.writeHead(200);
            response.write("a");
            setTimeout(() => response.end("b"), 1100);
          }, 1100);
        };
        expect(await bodyText(await make().send(get("/"), never()))).toBe("ab");
      }, 10_000);
    });

    describe("connections", () => {
      const ok = (request: IncomingMessage, response: ServerResponse): void => {
        const reply = peerName(request);
        response.writeHead(200, { "content-length": reply.length });
        response.end(reply);
      };

      it("refused", async () => {
        const closed = createServer();
        await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
        const { port } = closed.address() as AddressInfo;
        await new Promise((resolve) => closed.close(resolve));
        const client = make({ baseUrl: `https://127.0.0.1:${port}` });
        const sending = client.send(get("/version"), never());
        expect(await failureOf(sending)).toBe("refused");
        await expect(client.send(get("/version"), never())).rejects.toThrow(`GET https://127.0.0.1:${port}/version: `);
      });

      it("a name that does not exist", async () => {
        expect(await failureOf(make({ baseUrl: "https://no-such-host.invalid" }).send(get("/"), never()))).toBe("dns");
      });

      it("closed before an answer", async () => {
        answer = (request) => {
          request.socket.destroy();
        };
        expect(await failureOf(make().send({ ...get("/"), method: "POST" }, never()))).toBe("reset");
      });

      it("trusts only its authority, only for the right name and time", async () => {
        answer = ok;
        expect(await failureOf(make({ ca: stranger.certificatePem }).send(get("/"), never()))).toBe("tls");
        const attempt = async (names: Parameters<typeof serverCertificate>[1], options: Partial<HttpClientOptions>) => {
          const other = await startTestServer(serverCertificate(authority, names), authority, ok);
          try {
            return await make({ baseUrl: other.url, ...options }).send(get("/"), never());
          } finally {
            await other.close();
          }
        };
        const alien = { dnsNames: ["api.example"], ipAddresses: [] };
        expect(await failureOf(attempt(alien, {}))).toBe("tls");
        expect(await failureOf(attempt({ notAfter: Date.now() - 1000 }, {}))).toBe("tls");
        expect((await attempt(alien, { serverName: "api.example" })).status).toBe(200);
        expect(await failureOf(attempt({}, { serverName: "api.example" }))).toBe("tls");
        expect((await attempt(alien, { insecureSkipVerify: true })).status).toBe(200);
      });

      it("shows its certificate, and after an update the new one, while open streams go on", async () => {
        let stream: ServerResponse | undefined;
        answer = (request, response) => {
          if (request.url !== "/stream") return ok(request, response);
          stream = response;
          response.writeHead(200);
          response.write(peerName(request));
        };
        const [alice, bob] = [clientCertificate(authority, "alice"), clientCertificate(authority, "bob")];
        const credentials = ({ certificatePem, keyPem }: typeof alice) => ({ cert: certificatePem, key: keyPem });
        const base = { baseUrl: server.url, ca: authority.certificatePem };
        const client = make(credentials(alice));
        expect(await bodyText(await client.send(get("/"), never()))).toBe("alice");
        const chunks = chunksOf(await client.send(get("/stream"), never()));
        expect(text((await chunks.next()).value)).toBe("alice");
        client.update({ ...base, ...credentials(bob) });
        expect(await bodyText(await client.send(get("/"), never()))).toBe("bob");
        stream?.end("still here");
        expect(text((await chunks.next()).value)).toBe("still here");
        expect((await chunks.next()).done).toBe(true);
        client.update(base);
        expect(await bodyText(await client.send(get("/"), never()))).toBe("");
      });

      it("follows a change of authority", async () => {
        const rotating = await startTestServer(serverCertificate(authority), authority, ok);
        const client = make({ baseUrl: rotating.url });
        expect((await client.send(get("/"), never())).status).toBe(200);
        rotating.setCertificate(serverCertificate(stranger));
        for (const socket of rotating.sockets) socket.destroy();
        await eventually(() => rotating.sockets.size === 0);
        // A pooled connection may first have to learn that it was closed.
        let failure = "reset";
        while (failure === "reset") failure = await failureOf(client.send(get("/"), never()));
        expect(failure).toBe("tls");
        client.update({ baseUrl: rotating.url, ca: authority.certificatePem + stranger.certificatePem });
        expect((await client.send(get("/"), never())).status).toBe(200);
        await rotating.close();
      });
    });
  });
}
