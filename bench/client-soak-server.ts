// The server of bench/client-soak.ts, in a separate process: answers over TLS, correctly or with faults, as the path
// requests. Prints its port in one line and ends when its standard input ends.

import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const event = `${"x".repeat(1499)}\n`;
const chunk = `${event.length.toString(16)}\r\n${event}\r\n`;
const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${event.length}\r\n\r\n${event}`;
const failed = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno";
const long = `HTTP/1.1 200 OK\r\ncontent-length: ${event.length * 200}\r\n\r\n${event.repeat(200)}`;

const answers: Readonly<Record<string, (socket: Socket) => unknown>> = {
  "/whole": (socket) => socket.write(whole),
  "/chunked": (socket) => socket.write(`${CHUNKED}${chunk}${chunk}0\r\n\r\n`),
  "/long": (socket) => socket.write(long),
  "/failed": (socket) => socket.write(failed),
  "/close": (socket) => socket.end(whole.replace("\r\n", "\r\nconnection: close\r\n")),
  "/watch": (socket) => socket.write(`${CHUNKED}${chunk}`),
  "/cut": (socket) => socket.end(`${CHUNKED}${chunk}`),
  "/reset": (socket) => socket.write(`${CHUNKED}${chunk}`, () => socket.destroy()),
  "/nonsense": (socket) => socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense"),
  "/silent": () => undefined,
  "/gone": (socket) => socket.destroy(),
};

function serve(socket: Socket): void {
  let request = "";
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    request += bytes.toString("latin1");
    const match = /^\w+ (\S+).*?\r\n(?:content-length: (\d+)\r\n)?\r\n/s.exec(request);
    if (match === null || request.length < match[0].length + Number(match[2] ?? 0)) return;
    request = "";
    answers[match[1] as string]?.(socket);
  });
}

const { cert, key, ca } = JSON.parse(process.argv[2] as string) as Identity;
const tls = createTlsServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false, noDelay: true }, serve);
tls.on("tlsClientError", (_, socket) => socket.destroy());
const tcp = createTcpServer({ noDelay: true }, serve);
const listening = [tls, tcp].map(
  (server) =>
    new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    }),
);
process.stdout.write(`${JSON.stringify(await Promise.all(listening))}\n`);
process.stdin.on("end", () => process.exit());
process.stdin.resume();
