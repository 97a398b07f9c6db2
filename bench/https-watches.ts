// Clients for the benchmarks of watches over HTTPS: each holds one watch open and counts the events.

import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { type Credentials, PODS } from "./api-server-subject.ts";

export interface HttpsWatches {
  events(): number;
  close(): void;
}

const PATH = `${PODS}?watch=1&allowWatchBookmarks=true`;
const NEWLINE = 10;
/** The window that Go's clients offer. */
const STREAM_WINDOW_BYTES = 4 << 20;
const CONNECTION_WINDOW_BYTES = 1 << 30;

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** Opens a connection for each watch, as HTTP/1.1 requires. */
export async function openHttp1Watches({ port, ca, cert, key }: Credentials, count: number): Promise<HttpsWatches> {
  let events = 0;
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY, ca, cert, key });
  const open = (): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: "127.0.0.1", port, path: PATH, agent }, (incoming) => {
        incoming.on("data", (chunk: Uint8Array) => (events += countLines(chunk)));
        incoming.on("error", () => undefined);
        resolve(() => outgoing.destroy());
      });
      outgoing.on("error", reject);
      outgoing.end();
    });
  const closers: (() => void)[] = [];
  for (let i = 0; i < count; i++) closers.push(await open());
  return {
    events: () => events,
    close() {
      for (const close of closers) close();
    },
  };
}

/** Opens many watches on each connection. */
export async function openHttp2Watches(
  { port, ca, cert, key }: Credentials,
  count: number,
  connections: number,
): Promise<HttpsWatches> {
  let events = 0;
  const sessions = Array.from({ length: connections }, () => {
    const settings = { initialWindowSize: STREAM_WINDOW_BYTES };
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, cert, key, settings });
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    return session;
  });
  for (let i = 0; i < count; i++) {
    const stream = (sessions[i % connections] as (typeof sessions)[number]).request({ ":path": PATH });
    stream.on("data", (chunk: Uint8Array) => (events += countLines(chunk)));
    stream.on("error", () => undefined);
    await new Promise((resolve) => stream.once("response", resolve));
  }
  return {
    events: () => events,
    close() {
      for (const session of sessions) session.destroy();
    },
  };
}
