// HTTP client on node:http and node:https. Bun's fetch lets only some hundred exchanges of a process
// run at a time, however many of them are endless watches; this one has no such limit.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
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

interface Target {
  readonly origin: string;
  readonly prefix: string;
  readonly agent: HttpAgent;
}

export function createSocketHttpClient(options: HttpClientOptions): HttpClient {
  let target = targetFor(options);
  return {
    send: (request, signal) => send(request, target, signal),
    update(newOptions) {
      const old = target;
      target = targetFor(newOptions);
      closeIdle(old.agent);
    },
    close: () => closeIdle(target.agent),
  };
}

function targetFor({ baseUrl, ca, cert, key, serverName, insecureSkipVerify }: HttpClientOptions): Target {
  const base = splitBaseUrl(baseUrl);
  if (base.origin.startsWith("http:")) return { ...base, agent: new HttpAgent({ keepAlive: true }) };
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: !insecureSkipVerify,
  };
  return { ...base, agent: new HttpsAgent({ keepAlive: true, ...tls }) };
}

function closeIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

async function send(request: HttpRequest, target: Target, signal: AbortSignal): Promise<HttpResponse> {
  signal.throwIfAborted();
  request.guard?.();
  const toError = (error: unknown): unknown => exchangeError(error, request, target.origin, signal);
  const controls = { end: (): void => undefined };
  try {
    const response = await exchange(request, target, signal, controls);
    const status = response.statusCode ?? 0;
    const headers = response.headers as HttpHeaders;
    const chunks = bodyChunks({
      read: wholeReader(response),
      free() {
        controls.end();
        if (!response.complete) response.destroy();
      },
      toError,
    });
    if (!isWholeBody(request, status, response.headers["content-length"])) {
      return { status, headers, body: { kind: "stream", chunks } };
    }
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : new Uint8Array(Buffer.concat(parts));
    return { status, headers, body: { kind: "bytes", bytes } };
  } catch (error) {
    controls.end();
    throw toError(error);
  }
}

/** Sends the request and resolves with the answer's head. From then on controls.end() frees what it holds. */
function exchange(
  request: HttpRequest,
  target: Target,
  signal: AbortSignal,
  controls: { end: () => void },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = target.agent instanceof HttpsAgent ? httpsRequest : httpRequest;
    const outgoing = start(`${target.origin}${targetOf(request, target.prefix)}`, {
      agent: target.agent,
      method: request.method,
      headers: headersOf(request),
    });
    let response: IncomingMessage | undefined;
    const onAbort = (): void => {
      response?.destroy(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      outgoing.destroy();
      reject(signal.reason);
    };
    controls.end = () => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
    outgoing.on("error", reject);
    outgoing.on("response", (message) => {
      response = message;
      resolve(message);
    });
    writeBody(outgoing, request.body).catch((error: unknown) => {
      outgoing.destroy();
      reject(error);
    });
  });
}

async function writeBody(outgoing: ReturnType<typeof httpRequest>, body: HttpBody | undefined): Promise<void> {
  switch (body?.kind) {
    case undefined:
      outgoing.end();
      return;
    case "bytes":
      outgoing.setHeader("content-length", body.bytes.length);
      outgoing.end(body.bytes);
      return;
    case "stream":
      for await (const chunk of body.chunks) {
        if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once("drain", resolve));
      }
      outgoing.end();
      return;
    case "object":
    case "events":
      throw new TransportError("protocol", `a body of kind ${body.kind} cannot leave the process`);
  }
}

/** Reads the message; one that ends before it is complete was cut. */
function wholeReader(response: IncomingMessage): () => Promise<Uint8Array | undefined> {
  response.on("error", () => undefined);
  const read = readerOf(response);
  return async () => {
    const chunk = await read();
    if (chunk !== undefined || response.complete) return chunk;
    throw new TransportError("reset", "the connection was closed in the middle of the answer");
  };
}
