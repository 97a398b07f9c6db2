// HTTP client on Bun's native fetch: half the CPU of node:https for small exchanges. Bun runs only 256
// (512 outside of tests) at a time in a process and lets the rest wait for as long as it takes, so
// what would come near that number goes over plain sockets.
import { childScope } from "#base/abort.ts";
import { type HttpBody, type HttpHeaders, type HttpRequest, type HttpResponse, TransportError } from "#base/http.ts";
import { Slots } from "#base/slots.ts";
import { exchangeError } from "./http-errors.ts";
import {
  bodyChunks,
  type HttpClient,
  type HttpClientOptions,
  headersOf,
  isWholeBody,
  splitBaseUrl,
  targetOf,
} from "./http-exchange.ts";

/** What Bun's fetch takes beyond the standard. */
interface BunFetchInit extends RequestInit {
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
    readonly rejectUnauthorized?: boolean;
  };
  readonly proxy?: string;
  /** False: no limit on silence. Otherwise Bun gives up after five minutes. */
  readonly timeout: false;
  readonly decompress: false;
}

interface Target {
  readonly origin: string;
  readonly prefix: string;
  readonly init: BunFetchInit;
}

/** Exchanges that may be on fetch at once, watches among them. */
const fetchExchangesMax = 200;

/**
 * Whole answers that a client fetches at once. Each takes a connection of its own, whose handshake costs both ends
 * more than ten requests do; what waits here is served sooner than it would be by new ones.
 */
const wholeExchangesMax = 32;

/** Exchanges of this process that are on fetch now. */
let fetchExchanges = 0;

export function createBunHttpClient(initialOptions: HttpClientOptions): HttpClient {
  let options = initialOptions;
  let target = targetFor(options);
  let overflow: Promise<HttpClient> | undefined;
  const slots = new Slots(wholeExchangesMax);

  const overflowClient = async (): Promise<HttpClient> => {
    overflow ??= import("./http-client-sockets.ts").then((module) => module.createSocketHttpClient(options));
    return await overflow;
  };

  const exchange = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    // Plain sockets know no proxy.
    const hasRoom = fetchExchanges < fetchExchangesMax || options.proxyUrl !== undefined;
    if (!hasRoom) return (await overflowClient()).send(request, signal);
    request.guard?.();
    return request.whole ? sendWhole(request, target, signal) : send(request, target, signal);
  };

  return {
    async send(request, signal) {
      if (!request.whole) return exchange(request, signal);
      await slots.take(signal);
      try {
        return await exchange(request, signal);
      } finally {
        slots.give();
      }
    },
    update(newOptions) {
      options = newOptions;
      target = targetFor(newOptions);
      void overflow?.then((client) => client.update(newOptions));
    },
    close() {
      // The pool of fetch is Bun's own: its idle connections close by themselves.
      void overflow?.then((client) => client.close());
    },
  };
}

function targetFor({ baseUrl, ca, cert, key, serverName, insecureSkipVerify, proxyUrl }: HttpClientOptions): Target {
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(insecureSkipVerify ? { rejectUnauthorized: false } : {}),
  };
  const proxy = proxyUrl === undefined ? {} : { proxy: proxyUrl };
  return { ...splitBaseUrl(baseUrl), init: { redirect: "manual", timeout: false, decompress: false, tls, ...proxy } };
}

/** Without a scope: there is no body that somebody could leave unread. */
async function sendWhole(request: HttpRequest, target: Target, signal: AbortSignal): Promise<HttpResponse> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  fetchExchanges++;
  try {
    const response = await fetch(`${target.origin}${targetOf(request, target.prefix)}`, {
      ...target.init,
      method: request.method,
      headers: headersOf(request),
      body: requestBody(request.body),
      duplex: "half",
      signal: controller.signal,
    } as RequestInit);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: plainHeaders(response.headers), body: { kind: "bytes", bytes } };
  } catch (error) {
    throw exchangeError(error, request, target.origin, signal);
  } finally {
    fetchExchanges--;
    signal.removeEventListener("abort", onAbort);
  }
}

async function send(request: HttpRequest, target: Target, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  // A scope of its own: fetch keeps its listener on the signal for as long as the signal lives.
  const scope = childScope(signal);
  fetchExchanges++;
  scope.signal.addEventListener("abort", () => fetchExchanges--, { once: true });
  try {
    const response = await fetch(`${target.origin}${targetOf(request, target.prefix)}`, {
      ...target.init,
      method: request.method,
      headers: headersOf(request),
      body: requestBody(request.body),
      duplex: "half",
      signal: scope.signal,
    } as RequestInit);
    const headers = plainHeaders(response.headers);
    if (!isWholeBody(request, response.status, response.headers.get("content-length") ?? undefined)) {
      const reader = response.body?.getReader();
      const chunks = bodyChunks({
        read: async () => (await reader?.read())?.value as Uint8Array | undefined,
        free: () => scope[Symbol.dispose](),
        toError: (error) => exchangeError(error, request, target.origin, signal),
      });
      return { status: response.status, headers, body: { kind: "stream", chunks } };
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    scope[Symbol.dispose]();
    return { status: response.status, headers, body: { kind: "bytes", bytes } };
  } catch (error) {
    const failure = exchangeError(error, request, target.origin, signal);
    scope[Symbol.dispose]();
    throw failure;
  }
}

function requestBody(body: HttpBody | undefined): Uint8Array | ReadableStream | undefined {
  switch (body?.kind) {
    case undefined:
      return undefined;
    case "bytes":
      return body.bytes;
    case "stream":
      return ReadableStream.from(body.chunks);
    case "object":
    case "events":
      throw new TransportError("protocol", `a body of kind ${body.kind} cannot leave the process`);
  }
}

function plainHeaders(headers: Headers): HttpHeaders {
  const result: Record<string, string | string[]> = {};
  headers.forEach((value, name) => {
    result[name] = value;
  });
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) result["set-cookie"] = cookies;
  return result;
}
