// What the HTTP clients of both runtimes share: options, and how a request becomes bytes on a wire.
import type { HttpRequest, Transport } from "#base/http.ts";

export interface HttpClientOptions {
  /** Scheme, host and port, and a path to put before every request's path if there is one. */
  readonly baseUrl: string;
  /** PEM of the authorities that may vouch for the server; the system's when absent. */
  readonly ca?: string;
  /** PEM of the client's certificate (chain) and key. */
  readonly cert?: string;
  readonly key?: string;
  /** The name asked for, and expected in the server's certificate, instead of the host's. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** http:// or https:// URL of a proxy, with credentials if it wants them. */
  readonly proxyUrl?: string;
}

export interface HttpClient extends Transport {
  /** From now on new connections are made so; exchanges under way end as they began. */
  update(options: HttpClientOptions): void;
  /** Lets go of idle connections. Exchanges under way end by themselves. */
  close(): void;
}

/** Bodies up to this size whose length is known are handed over in one piece. */
export const wholeBodyBytesMax: number = 4 * 1024 * 1024;

/** What is before the path in the base URL, without a slash at the end. */
export function splitBaseUrl(baseUrl: string): { origin: string; prefix: string } {
  const url = new URL(baseUrl);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

export function targetOf(request: HttpRequest, prefix: string): string {
  return `${prefix}${request.path}${request.query === "" ? "" : `?${request.query}`}`;
}

/** Request headers as both runtimes take them. Answers come as they are: nothing is inflated on the way. */
export function headersOf(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/** Can and should the body be read in one piece? */
export function isWholeBody(request: HttpRequest, status: number, contentLength: string | undefined): boolean {
  if (request.method === "HEAD" || status === 204 || status === 304) return true;
  return contentLength !== undefined && Number(contentLength) <= wholeBodyBytesMax;
}

/**
 * A body chunk by chunk: read gives the next one, undefined at the end. Whichever way the iteration ends,
 * even before it began, `free` is called. An async generator would not run its cleanup in that case.
 */
export function bodyChunks(body: {
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly free: () => void;
  readonly toError: (error: unknown) => unknown;
}): AsyncIterable<Uint8Array> {
  const end = (): IteratorResult<Uint8Array, undefined> => {
    body.free();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterableIterator<Uint8Array, undefined> = {
    async next() {
      try {
        const value = await body.read();
        return value === undefined ? end() : { done: false, value };
      } catch (error) {
        const failure = body.toError(error);
        body.free();
        throw failure;
      }
    },
    return: async () => end(),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** Reads a host's stream for bodyChunks. */
export function readerOf(stream: AsyncIterable<Uint8Array>): () => Promise<Uint8Array | undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  return async () => {
    const next = await iterator.next();
    return next.done ? undefined : next.value;
  };
}
