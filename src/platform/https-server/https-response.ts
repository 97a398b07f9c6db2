// Writes an answer over HTTPS: in one piece, or as a stream at the client's pace.

import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpResponse } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { cutOff, type Incoming, type Outgoing, type Wire } from "./https-wire.ts";
import type { StreamPacer } from "./stream-pacer.ts";

/**
 * How long a refused upload may continue before the connection is closed: clients read the answer only after sending.
 */
const LINGER_MS = 1_000;

/** slowClientMs: a client that reads nothing of a stream for this long is disconnected. */
export async function writeResponse(
  wire: Wire,
  response: HttpResponse,
  pacer: StreamPacer,
  slowClientMs: number,
): Promise<void> {
  const { incoming, outgoing } = wire;
  outgoing.statusCode = response.status;
  // As Go's server, which sends no connection header if the connection stays open.
  if (incoming.httpVersion === "1.1" && !CLOSE.test(incoming.headers.connection ?? "")) {
    outgoing.removeHeader("connection");
  }
  for (const [name, value] of Object.entries(response.headers)) {
    if (name === "connection" && incoming.httpVersionMajor === 2) closeAfterwards(outgoing as Http2ServerResponse);
    else outgoing.setHeader(incoming.httpVersionMajor === 2 ? name : wireName(name), wireValue(value));
  }
  const { body } = response;
  switch (body.kind) {
    case "bytes":
      outgoing.setHeader(incoming.httpVersionMajor === 2 ? "content-length" : "Content-Length", body.bytes.length);
      return incoming.complete ? endWith(wire, body.bytes) : refuseUpload(incoming, outgoing, body.bytes);
    case "object":
      return endWith(wire, Buffer.from(stringifyJson(body.value)));
    case "stream":
      return writeStream(wire, body.chunks, pacer, slowClientMs);
    case "events":
      throw new TypeError("decoded watch events cannot leave the process");
  }
}

const CLOSE = /\bclose\b/i;
const wireNames = new Map<string, string>();

/** "Content-Type" for "content-type". Case does not matter to HTTP, but people search for this spelling. */
function wireName(name: string): string {
  let found = wireNames.get(name);
  if (found === undefined) {
    found = name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
    wireNames.set(name, found);
  }
  return found;
}

const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** node writes one byte per character and refuses larger characters, so they are encoded as UTF-8 first. */
function wireValue(value: string | readonly string[]): string | string[] {
  if (typeof value !== "string") return value.map((each) => wireValue(each) as string);
  return BEYOND_ASCII.test(value) ? Buffer.from(value).toString("latin1") : value;
}

/** The h2 form of "connection: close": no further requests are accepted, open ones are answered. */
function closeAfterwards(outgoing: Http2ServerResponse): void {
  const { session } = outgoing.stream;
  outgoing.on("finish", () => session?.close());
}

/** Sends head and body in one TLS record. */
function endWith({ outgoing, socket }: Wire, bytes: Uint8Array): void {
  const isHttp1 = !("stream" in outgoing);
  if (isHttp1) socket.cork();
  (outgoing as ServerResponse).end(bytes);
  if (isHttp1) socket.uncork();
}

/**
 * Answers while the client still sends. The rest of the upload is read and dropped briefly, so that the client sees the
 * answer.
 */
async function refuseUpload(incoming: Incoming, outgoing: Outgoing, bytes: Uint8Array): Promise<void> {
  if (incoming.httpVersionMajor === 1) outgoing.setHeader("connection", "close");
  (outgoing as ServerResponse).write(bytes);
  incoming.resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    incoming.once("end", resolve);
    incoming.once("close", resolve);
    incoming.once("end", () => clearTimeout(timer));
  });
  outgoing.end();
}

/**
 * Streams a watch: each chunk is sent at once as one TLS record. A client that does not read pauses the source; after
 * too long it is disconnected. One abort listener serves all waits, because listeners per chunk would add up in a long
 * watch.
 */
async function writeStream(
  { outgoing, socket, signal }: Wire,
  chunks: AsyncIterable<Uint8Array>,
  pacer: StreamPacer,
  slowClientMs: number,
): Promise<void> {
  if ("flushHeaders" in outgoing) outgoing.flushHeaders();
  const isHttp1 = !("stream" in outgoing);
  const iterator = chunks[Symbol.asyncIterator]();
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!signal.aborted) {
      const next = await new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (next === undefined || next.done) break;
      if (isHttp1) socket.cork();
      const hasRoom = (outgoing as ServerResponse).write(next.value);
      if (isHttp1) socket.uncork();
      if (!hasRoom && !signal.aborted) {
        const hasDrained = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(false), slowClientMs);
          wake = () => {
            clearTimeout(timer);
            resolve(true);
          };
          outgoing.once("drain", wake);
        });
        if (!hasDrained) return cutOff(outgoing, socket);
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (!pacer.written(resolve)) resolve();
      });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    const returned = iterator.return?.();
    // If the client is gone, a source that is still busy ends by its own signal.
    if (signal.aborted) returned?.catch(() => undefined);
    else await returned;
  }
  if (!signal.aborted) outgoing.end();
}
