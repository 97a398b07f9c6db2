// HTTP client on undici, for Node.
import { Readable } from "node:stream";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { type HttpBody, type HttpHeaders, type HttpRequest, type HttpResponse, TransportError } from "#base/http.ts";
import { exchangeError } from "./http-errors.ts";
import {
  bodyChunks,
  type HttpClient,
  type HttpClientOptions,
  headersOf,
  isWholeBody,
  readerOf,
  splitBaseUrl,
  targetOf,
} from "./http-exchange.ts";

/** How long to wait for a connection, as Go's dialer does, and how long to keep an idle one. */
const connectMsMax = 30_000;
const idleMsMax = 90_000;

interface Target {
  readonly origin: string;
  readonly prefix: string;
  readonly dispatcher: Dispatcher;
}

export function createNodeHttpClient(options: HttpClientOptions): HttpClient {
  let target = targetFor(options);
  // Closing lets exchanges under way end; their outcome is told to whoever awaits them.
  const retire = (old: Target): void => void old.dispatcher.close().catch(() => undefined);
  return {
    send: (request, signal) => send(request, target, signal),
    update(newOptions) {
      const old = target;
      target = targetFor(newOptions);
      retire(old);
    },
    close: () => retire(target),
  };
}

function targetFor(options: HttpClientOptions): Target {
  const { ca, cert, key, serverName, insecureSkipVerify, proxyUrl } = options;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !insecureSkipVerify,
  };
  const limits = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMsMax,
    keepAliveMaxTimeout: idleMsMax,
    pipelining: 1,
  };
  const dispatcher =
    proxyUrl === undefined
      ? new Agent({ ...limits, connect: { ...tls, timeout: connectMsMax } })
      : new ProxyAgent({ ...limits, uri: proxyUrl, requestTls: { ...tls, timeout: connectMsMax } });
  return { ...splitBaseUrl(options.baseUrl), dispatcher };
}

async function send(request: HttpRequest, target: Target, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  request.guard?.();
  const toError = (error: unknown): unknown => exchangeError(error, request, target.origin, signal);
  try {
    const response = await target.dispatcher.request({
      origin: target.origin,
      path: targetOf(request, target.prefix),
      method: request.method as Dispatcher.HttpMethod,
      headers: headersOf(request),
      body: requestBody(request.body),
      signal,
    });
    const headers = response.headers as HttpHeaders;
    const length = response.headers["content-length"];
    if (isWholeBody(request, response.statusCode, typeof length === "string" ? length : undefined)) {
      return { status: response.statusCode, headers, body: { kind: "bytes", bytes: await response.body.bytes() } };
    }
    // A body that is destroyed before its end says so in an event; whoever destroyed it knows.
    response.body.on("error", () => undefined);
    const free = (): void => void response.body.destroy();
    const chunks = bodyChunks({ read: readerOf(response.body), free, toError });
    return { status: response.statusCode, headers, body: { kind: "stream", chunks } };
  } catch (error) {
    throw toError(error);
  }
}

function requestBody(body: HttpBody | undefined): Uint8Array | Readable | null {
  switch (body?.kind) {
    case undefined:
      return null;
    case "bytes":
      return body.bytes;
    case "stream":
      return Readable.from(body.chunks);
    case "object":
    case "events":
      throw new TransportError("protocol", `a body of kind ${body.kind} cannot leave the process`);
  }
}
