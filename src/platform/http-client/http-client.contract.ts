// The HTTP client's behaviour over TLS on every runtime and its sockets. Run by http-client.test.ts.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { countListeners } from "#base/testing.ts";
import {
  bodyText,
  chunksOf,
  eventually,
  failureOf,
  get,
  never,
  readBody,
  type ServerResponse,
  text,
} from "./http-client.testing.ts";
import type { HttpClient, HttpClientOptions } from "./http-client.ts";
import { clientStage } from "./http-client-stage.testing.ts";

export function httpClientContract(name: string, create: (options: HttpClientOptions) => HttpClient): void {
  describe(`${name} keeps the HTTP client contract`, () => {
    const stage = clientStage(create);
    const { make } = stage;

    describe("exchanges", () => {
      it("sends method, path, query, headers and bytes as they are, and returns the answer in one piece", async () => {
        stage.answer = async (request, response) => {
          const body = await readBody(request);
          const { host, ...headers } = request.headers;
          expect(host).toBe(`127.0.0.1:${stage.server.port}`);
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
        const response = await make({ baseUrl: `${stage.server.url}/clusters/one/` }).send(request, never());
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
        stage.answer = async (request, response) => {
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

      it("accepts answers without a body: HEAD, 204, 304", async () => {
        stage.answer = (request, response) => {
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
        stage.answer = (request, response) => {
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

      it("reuses connections", async () => {
        stage.answer = (_request, response) => {
          response.writeHead(200, { "content-length": "2" });
          response.end("ok");
        };
        const client = make();
        const before = stage.server.acceptedCount;
        for (let i = 0; i < 20; i++) await client.send(get("/"), never());
        expect(stage.server.acceptedCount - before).toBeLessThanOrEqual(2);
      });

      it("refuses bodies that only work inside a process", async () => {
        const body = { kind: "object", value: {} } as const;
        expect(await failureOf(make().send({ ...get("/"), method: "POST", body }, never()))).toBe("protocol");
      });
    });

    describe("streams", () => {
      it("delivers the headers before the first byte, and each chunk as it arrives", async () => {
        let stream: ServerResponse | undefined;
        stage.answer = (_request, response) => {
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

      it("a stream that is cut off is an error, not an end", async () => {
        stage.answer = (_request, response) => {
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
        stage.answer = (_request, response) => {
          response.writeHead(200, { "content-length": "100" });
          response.write("too short");
          setTimeout(() => response.socket?.destroy(), 20);
        };
        expect(await failureOf(make().send(get("/"), never()))).toBe("reset");
      });

      it("aborting ends the exchange at once and frees the socket: before headers, in mid-stream, in a whole body", async () => {
        const sockets = new Map<string, Socket>();
        stage.answer = (request, response) => {
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
        stage.answer = (request, response) => {
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
        stage.answer = (request, response) => {
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
        stage.answer = (_request, response) => {
          streams.push(response);
          response.writeHead(200);
          response.write("open");
        };
        const client = make();
        const controller = new AbortController();
        const responses: HttpResponse[] = [];
        // On a busy machine, opening all of them at once would exceed the handshake timeout.
        while (responses.length < count) {
          const some = Array.from({ length: 10 }, () => client.send(get("/"), controller.signal));
          responses.push(...(await Promise.all(some)));
        }
        const iterators = responses.map(chunksOf);
        expect((await Promise.all(iterators.map((chunks) => chunks.next()))).length).toBe(count);
        for (const stream of streams) stream.write("event");
        for (const { value } of await Promise.all(iterators.map((chunks) => chunks.next())))
          expect(text(value)).toBe("event");
        const ends = Promise.allSettled(iterators.map((chunks) => chunks.next()));
        controller.abort(new Aborted());
        expect((await ends).every((end) => end.status === "rejected")).toBe(true);
        await eventually(() => streams.every((stream) => stream.socket?.destroyed !== false));
      }, 60_000);

      it("fetches many whole answers at once, an urgent one before them, and can abort any of them", async () => {
        const silent: Socket[] = [];
        stage.answer = (request, response) => {
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
        const urgent = await client.send({ ...whole("/urgent"), urgent: true }, never()).then(bodyText);
        expect(urgent).toBe("in pieces /urgent");
        controller.abort(reason);
        for (const end of await ends) expect(end).toEqual({ status: "rejected", reason });
        await eventually(() => silent.every(({ destroyed }) => destroyed));
        expect(listeners()).toBe(0);
        expect(await client.send(whole("/after"), never()).then(bodyText)).toBe("in pieces /after");
      });

      it("waits through silence, before the headers and in mid-stream", async () => {
        stage.answer = (_request, response) => {
          setTimeout(() => {
            response.writeHead(200);
            response.write("a");
            setTimeout(() => response.end("b"), 1100);
          }, 1100);
        };
        expect(await bodyText(await make().send(get("/"), never()))).toBe("ab");
      }, 60_000);
    });
  });
}
