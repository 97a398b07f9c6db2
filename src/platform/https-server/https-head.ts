// Checks of a request's head that Go's server makes and node's parser does not.
// Upstream: net/http, server.go, readRequest.

import type { Duplex } from "node:stream";
import type { Incoming } from "./https-wire.ts";

const BAD = "400 Bad Request";
const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Go's status line for the refusal; undefined if the head is valid. */
export function headProblem(incoming: Incoming): string | undefined {
  if ("stream" in incoming) return undefined; // h2 has no such head
  const { httpVersionMajor, httpVersion, rawHeaders, url = "" } = incoming;
  if (httpVersionMajor > 1) return "505 HTTP Version Not Supported: unsupported protocol version";
  if (httpVersionMajor < 1 || BROKEN_ESCAPE.test(url.split("?", 1)[0] ?? "")) return BAD;
  const hosts = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === "host" && index % 2 === 1);
  const [host] = hosts;
  if (hosts.length > 1) return BAD;
  if (host === undefined) return httpVersion === "1.0" ? undefined : `${BAD}: missing required Host header`;
  return HOST.test(host) ? undefined : `${BAD}: malformed Host header`;
}

/** Answers instead of a handler and closes the connection. */
export function refuseHead(socket: Duplex, status: string): void {
  if (!socket.writable) return void socket.destroy();
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
}
