// The limits of the daemon's port compared with the Go program in the same run: sizes, streams, timeouts, certificates.
// The length of each timeout is in src/platform/https-server/https-connection.test.ts.

import { readFileSync } from "node:fs";
import { connect as connectHttp2, type Settings } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import type { RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon } from "./daemon.ts";
import type { Command } from "./processes.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const HOST = "127.0.0.1";

describeReal("the limits of the daemon's port", () => {
  const plane = useControlPlane();

  /** Asks both programs; the answers must be equal. */
  async function same<T>(
    flags: readonly string[],
    ask: (program: RunningManager) => Promise<T>,
    launch = (command: Command): Command => command,
  ): Promise<T> {
    const options = { controllers: ["-job-controller"], flags };
    const both = [
      await plane().startManager(launch(ourDaemon), options),
      await plane().startManager(launch(goDaemon()), options),
    ] as const;
    const [ours, go] = await Promise.all([ask(both[0]), ask(both[1])]);
    expect(ours).toEqual(go);
    for (const program of both) await program.stop("SIGKILL");
    return ours;
  }

  it(
    "machinery/2.4.3 tells h2 clients the same limits",
    async () => {
      const buffers = { initialWindowSize: 262_144, maxFrameSize: 262_144, maxHeaderListSize: 1_048_896 };
      expect(await same([], settingsOf)).toMatchObject({ maxConcurrentStreams: 100, ...buffers });
      const few = await same(["--http2-max-streams-per-connection=7"], settingsOf);
      expect(few).toMatchObject({ maxConcurrentStreams: 7, ...buffers });
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 takes heads of a megabyte and a little more, and refuses longer ones in the same words",
    async () => {
      const sizes = [1 << 10, (1 << 20) - 200, (1 << 20) + 3000, (1 << 20) + 5000];
      const answers = await same([], (program) => Promise.all(sizes.map((size) => answerTo(program, size))));
      expect(answers.map(({ first }) => first)).toEqual([
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 431 Request Header Fields Too Large",
      ]);
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 refuses the heads that the Go program refuses, in the same words",
    async () => {
      const close = "Connection: close\r\n\r\n";
      const get = (version: string, headers: string): string => `GET /healthz HTTP/${version}\r\n${headers}${close}`;
      const heads = [
        get("1.1", "Host: a\r\nHost: b\r\n"),
        get("1.0", "Host: a\r\nHost: a\r\n"),
        get("1.1", ""),
        get("1.1", "Host: a b\r\n"),
        get("1.1", "Host: a<b\r\n"),
        get("2.0", "Host: a\r\n"),
        "GET /healthz\r\n\r\n",
        `GET /healthz%zz HTTP/1.1\r\nHost: a\r\n${close}`,
        get("1.1", "Host:\r\n"),
        get("1.1", "Host: [::1]:10257\r\n"),
        `GET https://other/healthz HTTP/1.1\r\nHost: a\r\n${close}`,
      ];
      const answers = await same([], (program) => Promise.all(heads.map((head) => answerToHead(program, head))));
      expect(answers.map(({ first }) => first.slice(9, 12))).toEqual([
        ...["400", "400", "400", "400", "400", "505", "400", "400"],
        ...["200", "200", "200"],
      ]);
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 asks clients for certificates only where there is a CA, and never insists",
    async () => {
      expect(await same([], asksForCertificate)).toBe(true);
      const none = ["--client-ca-file=", "--requestheader-client-ca-file=", "--authentication-skip-lookup"];
      expect(await same(none, asksForCertificate)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 says when it runs out of descriptors, and recovers",
    async () => {
      const crowd = async (program: RunningManager): Promise<boolean> => {
        const port = Number(new URL(program.url).port);
        // Until its controllers are built, the Go program reads files, and ends if it cannot open one.
        await logged(program, "controller is disabled");
        const guests = Array.from({ length: 100 }, () => connectTcp(port, HOST).on("error", () => undefined));
        await eventually(() => /http: Accept error.*too many open files/.test(program.log()) || undefined);
        for (const guest of guests) guest.destroy();
        return eventually(() => isTaken(port)).catch((cause: unknown) => {
          throw new Error(`it stays closed: ${program.log().slice(-2000)}`, { cause });
        });
      };
      const short = ["sh", "-c", 'ulimit -n 70; exec "$@"', "sh"] as const;
      expect(await same([], crowd, (command) => [...short, ...command])).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    "names the fields of its answers as the Go program does, and no connection that stays open",
    async () => {
      const [kept, closed] = await same([], namesInAnswers);
      expect(kept).toEqual(["Cache-Control", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options"]);
      expect(closed).toContain("Connection");
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 probes silent connections after three minutes",
    async () => {
      const timer = await same([], async ({ url }) => {
        const socket = await openTls(url, ["http/1.1"]);
        const ports = [Number(new URL(url).port), (socket.address() as AddressInfo).port] as const;
        const found = await eventually(() => keepAliveTimer(...ports));
        socket.destroy();
        return found;
      });
      expect(timer).toBe("within 180 s");
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 speaks of failed handshakes at verbosity 5 only",
    async () => {
      const fail = async (program: RunningManager): Promise<boolean> => {
        const socket = connectTcp(Number(new URL(program.url).port), HOST);
        socket.on("error", () => undefined).end("GET / HTTP/1.0\r\n\r\n");
        await new Promise((resolve) => socket.on("close", resolve).resume());
        // Later log lines come after this connection.
        await openTls(program.url, ["http/1.1"]).then((open) => open.destroy());
        return program.log().includes("http: TLS handshake error from 127.0.0.1:");
      };
      expect(await same(["-v=5"], fail)).toBe(true);
      expect(await same(["-v=4"], fail)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    "machinery/2.4.3 gives up on whoever does not finish a handshake, a preface or a head, and not on who rests",
    async () => {
      const ended = await same([], async ({ url }) => {
        const port = Number(new URL(url).port);
        const sockets: Readonly<Record<string, Socket>> = {
          handshake: connectTcp(port, HOST),
          preface: await openTls(url, ["h2"]),
          silence: await openTls(url, ["http/1.1"]),
          head: await openTls(url, ["http/1.1"]),
          rest: await openTls(url, ["http/1.1"]),
        };
        const gone = new Set<string>();
        for (const [name, socket] of Object.entries(sockets)) {
          socket.on("close", () => gone.add(name)).on("error", () => undefined);
          socket.resume();
        }
        sockets.head?.write("GET /healthz HTTP/1.1\r\nHost: x\r\n");
        sockets.rest?.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        await eventually(() => (gone.size >= 4 ? true : undefined));
        sockets.rest?.destroy();
        return [...gone].sort();
      });
      expect(ended).toEqual(["handshake", "head", "preface", "silence"]);
    },
    LIMIT_MS,
  );
});

function openTls(url: string, protocols: readonly string[]): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(url).port);
    const socket = connect({ host: HOST, port, rejectUnauthorized: false, ALPNProtocols: [...protocols] }, () =>
      resolve(socket),
    );
    socket.on("error", reject);
  });
}

/** Whether a handshake succeeds; undefined if the connection is closed instead. */
function isTaken(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port, rejectUnauthorized: false }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.on("error", () => undefined).on("close", () => resolve(undefined));
  });
}

function settingsOf({ url }: RunningManager): Promise<Settings> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(url, { rejectUnauthorized: false });
    session.on("error", reject).once("remoteSettings", (settings) => {
      session.close();
      resolve(settings);
    });
  });
}

/** Like answerToHead, with this many bytes in one field. */
function answerTo(program: RunningManager, size: number): ReturnType<typeof answerToHead> {
  const head = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(size)}\r\nConnection: close\r\n\r\n`;
  return answerToHead(program, head);
}

/** The first line and the body of the answer. */
async function answerToHead({ url }: RunningManager, head: string): Promise<{ first: string; body: string }> {
  const socket = await openTls(url, ["http/1.1"]);
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
  socket.write(head);
  await new Promise((resolve) => socket.on("close", resolve));
  const [top = "", body = ""] = text.split("\r\n\r\n");
  return { first: top.split("\r\n")[0] ?? "", body };
}

/** The header names of two answers on one connection; the second answer ends it. */
async function namesInAnswers({ url }: RunningManager): Promise<readonly (readonly string[])[]> {
  const socket = await openTls(url, ["http/1.1"]);
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
  const isClosed = new Promise((resolve) => socket.on("close", resolve));
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => text.endsWith("\r\n\r\nok") || undefined);
  socket.write("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await isClosed;
  return text
    .split(/HTTP\/1\.1 (?=\d)/)
    .slice(1)
    .map((answer) =>
      [...(answer.split("\r\n\r\n")[0] ?? "").matchAll(/^([\w-]+):/gm)].map(([, name = ""]) => name).sort(),
    );
}

const HANDSHAKE_RECORD = 22;
const CERTIFICATE_REQUEST = 13;

/** The handshake of TLS 1.2 is readable: a relay inspects the server's messages until the handshake is done. */
async function asksForCertificate({ url }: RunningManager): Promise<boolean> {
  const seen: Buffer[] = [];
  const relay = createServer((client) => {
    const server = connectTcp(Number(new URL(url).port), HOST);
    server.on("data", (bytes: Buffer) => seen.push(bytes));
    client.pipe(server).pipe(client);
    for (const end of [client, server]) end.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => relay.listen(0, HOST, resolve));
  const { port } = relay.address() as AddressInfo;
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: HOST, port, rejectUnauthorized: false, maxVersion: "TLSv1.2" }, () => {
      resolve();
      socket.destroy();
    });
    socket.on("error", reject);
  });
  relay.close();
  return handshakeTypes(Buffer.concat(seen)).includes(CERTIFICATE_REQUEST);
}

/** The types of the handshake messages that are not encrypted. */
function handshakeTypes(bytes: Buffer): readonly number[] {
  const plain: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === HANDSHAKE_RECORD; ) {
    const length = bytes.readUInt16BE(at + 3);
    plain.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  const messages = Buffer.concat(plain);
  const types: number[] = [];
  for (let at = 0; at + 4 <= messages.length; at += 4 + messages.readUIntBE(at + 1, 3)) types.push(messages[at] ?? 0);
  return types;
}

const KEEP_ALIVE_TIMER = "02";

/** The system's timer for the server's end of a connection of this host. */
function keepAliveTimer(serverPort: number, clientPort: number): string | undefined {
  const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const [, local = "", remote = "", , , timer = ""] = line.trim().split(/\s+/);
      if (!local.endsWith(hex(serverPort)) || !remote.endsWith(hex(clientPort))) continue;
      const [kind, ticks = ""] = timer.split(":");
      // Other timers come first, such as that of an acknowledgement.
      if (kind !== KEEP_ALIVE_TIMER) return undefined;
      const seconds = Number.parseInt(ticks, 16) / 100;
      return seconds > 150 && seconds <= 181 ? "within 180 s" : `in ${seconds} s`;
    }
  }
  return undefined;
}
