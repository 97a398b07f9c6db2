// For tests: a Transport over one h2 connection, as other clients use it.

import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { type HttpHeaders, type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import { fromUtf8 } from "../http-client/http1-answer-head.ts";
import { targetOf } from "../http-client/http1-request.ts";

export interface Http2Transport extends Transport {
  readonly session: ClientHttp2Session;
  close(): void;
}

export function http2Transport(options: {
  readonly baseUrl: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}): Http2Transport {
  const { baseUrl, ca, cert, key } = options;
  const session = connect(baseUrl, { ca, cert, key });
  session.on("error", () => undefined); // each stream reports the error
  return {
    session,
    send: (request, signal) => send(session, request, signal),
    close: () => session.destroy(),
  };
}

async function send(session: ClientHttp2Session, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  const { body } = request;
  const stream = session.request(
    { ...headersOf(request), ":method": request.method, ":path": targetOf(request, "") },
    { endStream: body === undefined },
  );
  const leave = (): void => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener("abort", leave, { once: true });
  const answered = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    stream.on("response", resolve);
    stream.on("error", reject);
    stream.on("close", () => reject(new TransportError("reset", "the stream was closed before an answer came")));
  });
  if (body?.kind === "bytes") stream.end(body.bytes);
  else if (body !== undefined) throw new TransportError("protocol", `a body of kind ${body.kind} is not sent here`);
  const { ":status": status = 0, ...headers } = await answered;
  const free = (): void => {
    signal.removeEventListener("abort", leave);
    if (!stream.closed) leave();
  };
  const chunks = bodyChunks(stream, free);
  const answer = { status: Number(status), headers: textOf(headers) };
  if (headers["content-length"] === undefined && request.method !== "HEAD") {
    return { ...answer, body: { kind: "stream", chunks } };
  }
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { ...answer, body: { kind: "bytes", bytes: new Uint8Array(Buffer.concat(parts)) } };
}

function textOf(headers: IncomingHttpHeaders): HttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().map(fromUtf8)] as const);
  return Object.fromEntries(entries.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

function headersOf(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/**
 * The body in chunks. `free` is called however the iteration ends, even before it began. An async generator would not
 * run its cleanup then.
 */
function bodyChunks(stream: AsyncIterable<Uint8Array>, free: () => void): AsyncIterable<Uint8Array> {
  const source = stream[Symbol.asyncIterator]();
  const end = (): IteratorResult<Uint8Array, undefined> => {
    free();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterableIterator<Uint8Array, undefined> = {
    async next() {
      try {
        const next = await source.next();
        return next.done ? end() : { done: false, value: next.value };
      } catch (cause) {
        free();
        throw new TransportError("reset", "the stream was cut", { cause });
      }
    },
    return: async () => end(),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
