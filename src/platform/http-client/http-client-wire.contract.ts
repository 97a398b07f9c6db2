// How the HTTP client parses unusual byte sequences, and which bytes it sends. Run by http-client.test.ts.
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Aborted } from "#base/errors.ts";
import type { HttpRequest } from "#base/http.ts";
import { countListeners } from "#base/testing.ts";
import {
  bodyText,
  chunksOf,
  eventually,
  failureOf,
  get,
  never,
  type RawServer,
  startRawServer,
} from "./http-client.testing.ts";
import type { HttpClient, HttpClientOptions } from "./http-client.ts";
import { HEAD_BYTES_MAX } from "./http1-answer.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const whole = (request: HttpRequest): HttpRequest => ({ ...request, whole: true });
const post = (body?: HttpRequest["body"]): HttpRequest => ({ ...get("/"), method: "POST", ...(body && { body }) });
const MEGABYTE = 1 << 20;

/** Waits until the value stops changing. Waiting too briefly could hide a fault but not report a false one. */
async function settled(value: () => number): Promise<number> {
  for (let same = 0, last = -1; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    same = value() === last ? same + 1 : 0;
    last = value();
    if (same === 20) return last;
  }
}

export function httpWireContract(name: string, create: (options: HttpClientOptions) => HttpClient): void {
  describe(`${name} keeps the HTTP client contract on the wire`, () => {
    const closers: (() => unknown)[] = [];
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close();
    });
    const start = async (onData: Parameters<typeof startRawServer>[0]): Promise<[HttpClient, RawServer]> => {
      const server = await startRawServer(onData);
      const client = create({ baseUrl: server.url });
      closers.push(
        () => server.close(),
        () => client.close(),
      );
      return [client, server];
    };

    describe("answers", () => {
      it("skips interim answers, extensions and trailers, one byte at a time", async () => {
        const answer =
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\nset-cookie: a=1\r\n" +
          "transfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\ntrailer: z\r\n\r\n";
        const [client, { received }] = await start((socket) => {
          socket.setNoDelay(true);
          const send = (at: number): void => {
            if (at < answer.length) socket.write(answer.charAt(at), () => setImmediate(send, at + 1));
          };
          send(0);
        });
        for (const request of [get("/"), whole(get("/"))]) {
          const response = await client.send(request, never());
          expect(response.headers).toMatchObject({ "set-cookie": ["a=1"] });
          expect(await bodyText(response)).toBe("abcde");
        }
        expect(received.length).toBe(1);
      });

      it("reads a body that ends with the connection, and does not reuse the connection", async () => {
        const [client, { received }] = await start((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nto the end"));
        for (const request of [get("/"), whole(get("/"))]) {
          expect(await bodyText(await client.send(request, never()))).toBe("to the end");
        }
        expect(received.length).toBe(2);
      });

      it.each([
        ["the server says close", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok", 2],
        ["there is more than the answer", `${ok}HTTP/1.1 200 OK\r\n`, 2],
        ["all is well", ok, 1],
      ])("when %s", async (_, answer, connections) => {
        const [client, { received }] = await start((socket) => socket.write(answer));
        for (let i = 0; i < 2; i++) expect(await bodyText(await client.send(get("/"), never()))).toBe("ok");
        expect(received.length).toBe(connections);
      });

      it("closes an idle connection that receives unrequested bytes", async () => {
        const [client, { sockets }] = await start((socket) => socket.write(ok));
        await client.send(get("/"), never());
        for (const socket of sockets) socket.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
        await eventually(() => sockets.size === 0);
      });

      it.each([
        ["220 smtp.example ESMTP\r\n", "malformed HTTP response"],
        ["HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "malformed HTTP header"],
        ["HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "bad Content-Length"],
        [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(HEAD_BYTES_MAX)}`, `exceeds ${HEAD_BYTES_MAX} bytes`],
      ])("reports %j as a protocol error", async (answer, message) => {
        const [client, { url, sockets }] = await start((socket) => socket.write(answer));
        const sending = client.send(get("/x"), never());
        sending.catch(() => undefined);
        expect(await failureOf(sending)).toBe("protocol");
        await expect(sending).rejects.toThrow(`Get "${url}/x": `);
        await expect(sending).rejects.toThrow(message);
        await eventually(() => sockets.size === 0);
      });

      it("reports a stream that becomes malformed as a protocol error", async () => {
        const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        const [client, { sockets }] = await start((socket) => socket.write(`${head}1\r\na\r\nnonsense\r\n`));
        expect(await failureOf(client.send(get("/"), never()).then(bodyText))).toBe("protocol");
        await eventually(() => sockets.size === 0);
      });

      it("pauses the server while the body is not read, and loses nothing", async () => {
        const total = 64 * MEGABYTE;
        let sent = 0;
        const [client] = await start((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
          const piece = Buffer.alloc(65_536, "x");
          const go = (): void => {
            while (sent < total) {
              sent += piece.length;
              if (!socket.write(piece)) return void socket.once("drain", go);
            }
          };
          go();
        });
        const chunks = chunksOf(await client.send(get("/"), never()));
        let read = ((await chunks.next()).value as Uint8Array).length;
        expect(await settled(() => sent)).toBeLessThan(total / 2);
        for (let next = await chunks.next(); !next.done; next = await chunks.next()) read += next.value.length;
        expect(read).toBe(total);
      });
    });

    describe("requests", () => {
      it("are sent in one piece, or in chunks", async () => {
        const [client, { received, port }] = await start((socket, text) => {
          if (/\r\n\r\n(hello|.*0\r\n\r\n)$/s.test(text)) socket.write(ok);
        });
        const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept-encoding: identity\r\n`;
        await client.send(post({ kind: "bytes", bytes: new TextEncoder().encode("hello") }), never());
        expect(received).toEqual([`${head}content-length: 5\r\n\r\nhello`]);
        received[0] = "";
        async function* parts(): AsyncGenerator<Uint8Array> {
          for (const part of ["one", "", "three"]) yield new TextEncoder().encode(part);
        }
        await client.send(post({ kind: "stream", chunks: parts() }), never());
        expect(received).toEqual([`${head}transfer-encoding: chunked\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\n`]);
      });

      it("that contain line breaks are refused before connecting", async () => {
        const [client, { received }] = await start((socket) => socket.write(ok));
        for (const bad of [{ headers: { x: "a\r\ny: z" } }, { path: "/ HTTP/1.1\r\n\r\n" }, { query: "a\nb" }]) {
          expect(await failureOf(client.send({ ...get("/"), ...bad }, never()))).toBe("protocol");
        }
        expect(received).toEqual([]);
      });

      it("wait for a server that does not read", async () => {
        const total = 64;
        let socket: Socket | undefined;
        const [client] = await start((from, received) => {
          if (received.length > total * MEGABYTE && received.endsWith("0\r\n\r\n")) from.write(ok);
          if (socket !== undefined) return;
          socket = from;
          from.pause();
        });
        let made = 0;
        async function* parts(): AsyncGenerator<Uint8Array> {
          for (; made < total; made++) yield new Uint8Array(MEGABYTE);
        }
        const sending = client.send(post({ kind: "stream", chunks: parts() }), never());
        await eventually(() => socket !== undefined);
        expect(await settled(() => made)).toBeLessThan(total / 2);
        socket?.resume();
        expect(await bodyText(await sending)).toBe("ok");
        expect(made).toBe(total);
      });

      it("end when the answer arrives first, and close their source", async () => {
        const answer = "HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno";
        const [client, { sockets }] = await start((socket, text) => {
          if (text.includes("\r\n\r\n1\r\n")) socket.write(answer);
        });
        let wasTold = false;
        async function* parts(): AsyncGenerator<Uint8Array> {
          try {
            for (;;) {
              yield new Uint8Array(1);
              await new Promise((resolve) => setTimeout(resolve, 1));
            }
          } finally {
            wasTold = true;
          }
        }
        const response = await client.send(post({ kind: "stream", chunks: parts() }), never());
        expect([response.status, await bodyText(response)]).toEqual([413, "no"]);
        await eventually(() => wasTold && sockets.size === 0);
      });

      it("fail with their source", async () => {
        const [client, { sockets }] = await start(() => undefined);
        async function* parts(): AsyncGenerator<Uint8Array> {
          yield new Uint8Array(1);
          throw new Error("no more");
        }
        await expect(client.send(post({ kind: "stream", chunks: parts() }), never())).rejects.toThrow("no more");
        await eventually(() => sockets.size === 0);
      });
    });

    describe("connections that the server closed", () => {
      /** Answers the first request of each connection and closes the connection on the second. */
      const closing = (socket: Socket, text: string): void => {
        if (text.split("\r\n\r\n").length > 2) socket.destroy();
        else socket.write(ok);
      };

      it("repeatable requests are sent again on a new one", async () => {
        const [client, { received }] = await start(closing);
        for (let i = 0; i < 4; i++) expect(await bodyText(await client.send(get(`/${i}`), never()))).toBe("ok");
        expect(received.map((text) => text.match(/GET \S+/g))).toEqual([
          ["GET /0", "GET /1"],
          ["GET /1", "GET /2"],
          ["GET /2", "GET /3"],
          ["GET /3"],
        ]);
      });

      it("other requests fail, and are sent once", async () => {
        const [client, { received }] = await start(closing);
        await client.send(get("/"), never());
        expect(await failureOf(client.send(post(), never()))).toBe("reset");
        expect(received.map((text) => text.match(/(GET|POST) /g))).toEqual([["GET ", "POST "]]);
      });

      it("requests are not sent again if a new connection was closed or the answer had begun", async () => {
        const [client, { received }] = await start((socket, text) => {
          if (!text.includes("/half")) socket.destroy();
          else if (text.includes("/begin")) socket.end("HTTP/1.1 2");
          else socket.write(ok);
        });
        expect(await failureOf(client.send(get("/"), never()))).toBe("reset");
        expect(received.length).toBe(1);
        expect(await bodyText(await client.send(get("/half"), never()))).toBe("ok");
        expect(await failureOf(client.send(get("/begin"), never()))).toBe("reset");
        expect(received.length).toBe(2);
      });

      it("are not used if they were closed while idle", async () => {
        const [client, { received, sockets }] = await start((socket) => socket.write(ok));
        for (let i = 0; i < 3; i++) {
          expect(await bodyText(await client.send(post(), never()))).toBe("ok");
          for (const socket of sockets) socket.end();
          await eventually(() => sockets.size === 0);
        }
        expect(received.length).toBe(3);
      });
    });

    describe("the guard", () => {
      const lost = new Error("the lease is lost");

      it("runs before anything is written, on a new connection and on an old one", async () => {
        const [client, { received }] = await start((socket) => socket.write(ok));
        const guard = (): void => {
          throw lost;
        };
        await expect(client.send({ ...post(), guard }, never())).rejects.toBe(lost);
        expect(received.join("")).toBe("");
        await client.send(get("/"), never());
        await expect(client.send({ ...post(), guard }, never())).rejects.toBe(lost);
        expect(await bodyText(await client.send(get("/after"), never()))).toBe("ok");
        expect(received.join("")).not.toContain("POST");
        expect(received.length).toBe(1);
      });

      it("runs after all waiting, and again before a second attempt", async () => {
        let isHeld = false;
        const guard = (): void => {
          if (isHeld) throw lost;
        };
        const [client, { received }] = await start((socket, text) => {
          if (text.includes("/silent")) isHeld = true;
          if (text.includes("/again")) {
            isHeld = true;
            socket.destroy();
          } else if (!text.includes("/silent")) socket.write(ok);
        });
        await client.send(get("/"), never());
        await expect(client.send({ ...get("/again"), guard }, never())).rejects.toBe(lost);
        expect(received.join("").match(/again/g)?.length).toBe(1);

        isHeld = false;
        const controller = new AbortController();
        const listeners = countListeners(controller.signal);
        const silent = Array.from({ length: 100 }, () => client.send(whole(get("/silent")), controller.signal));
        const ends = Promise.allSettled(silent);
        const waiting = client.send({ ...whole(post()), guard }, never());
        waiting.catch(() => undefined);
        await eventually(() => isHeld);
        controller.abort(new Aborted());
        await ends;
        await expect(waiting).rejects.toBe(lost);
        expect(received.join("")).not.toContain("POST");
        expect(listeners()).toBe(0);
      });

      it("runs before each part of a long body", async () => {
        for (const kind of ["bytes", "stream"] as const) {
          const bytes = new Uint8Array(MEGABYTE);
          const chunks = (async function* () {
            for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
          })();
          const [client, { received, sockets }] = await start(() => undefined);
          let asked = 0;
          const guard = (): void => {
            if (++asked > 3) throw lost;
          };
          const body = kind === "bytes" ? { kind, bytes } : { kind, chunks };
          await expect(client.send({ ...post(body), guard }, never())).rejects.toBe(lost);
          await eventually(() => received.length === 1 && sockets.size === 0);
          expect((received[0] as string).length).toBeLessThan(MEGABYTE / 2);
        }
      });
    });
  });
}
