// Two ways to reach the server within the process, with one contract. *Bytes*: everything is encoded as JSON, and the
// ends share nothing (simulation, tests). *Direct*: frozen stored objects are passed.

import { type HttpBody, type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import type { ApiServer } from "./create-api-server.ts";
import type { Peer } from "./request-context.ts";

export interface InProcessOptions {
  /** The user of the requests; without one, a bearer token in a request is used. */
  readonly peer?: Peer;
}

type Handle = Pick<ApiServer, "handle">;

export function directTransport(server: Handle, options: InProcessOptions = {}): Transport {
  return { send: (request, signal) => exchange(server, { ...request, direct: true }, options, signal) };
}

export function bytesTransport(server: Handle, options: InProcessOptions = {}): Transport {
  return {
    send: async (request, signal) => {
      const { direct: _direct, body, ...rest } = request;
      const sent = body === undefined ? rest : { ...rest, body: asBytes(body) };
      return exchange(server, sent, options, signal);
    },
  };
}

async function exchange(
  server: Handle,
  request: HttpRequest,
  { peer }: InProcessOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  return server.handle(peer === undefined ? request : { ...request, peer }, signal);
}

/** Encodes objects as JSON and copies bytes, so that later changes by the caller have no effect. */
function asBytes(body: HttpBody): HttpBody {
  switch (body.kind) {
    case "object":
      return { kind: "bytes", bytes: new TextEncoder().encode(stringifyJson(body.value)) };
    case "bytes":
      return { kind: "bytes", bytes: body.bytes.slice() };
    case "stream":
      return body;
    case "events":
      throw new TransportError("protocol", "a request cannot carry events");
  }
}
