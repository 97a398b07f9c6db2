// For tests only: a transport whose answers the test writes, as real bodies.

import type { HttpHeaders, HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import { encodeText } from "#client/codec.ts";

export type Responder = (request: HttpRequest, signal: AbortSignal) => HttpResponse | Promise<HttpResponse>;

export interface ScriptedTransport extends Transport {
  readonly requests: HttpRequest[];
}

/** Answers the nth request with the nth responder; the last one answers all that follow. */
export function scriptedTransport(...responders: Responder[]): ScriptedTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async send(request, signal) {
      const responder = responders[Math.min(requests.length, responders.length - 1)];
      requests.push(request);
      signal.throwIfAborted();
      if (!responder) throw new Error(`no answer for ${request.method} ${request.path}`);
      return await responder(request, signal);
    },
  };
}

export function jsonResponse(value: unknown, status = 200, headers: HttpHeaders = {}): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: { kind: "bytes", bytes: encodeText(stringifyJson(value)) },
  };
}

export function textResponse(text: string, status: number, headers: HttpHeaders = {}): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain", ...headers },
    body: { kind: "bytes", bytes: encodeText(text) },
  };
}

/** A body that the test feeds chunk by chunk. */
export interface FedStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The reader closed the stream. */
  readonly isClosed: boolean;
  push(chunk: string | Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

export function fedStream(signal?: AbortSignal): FedStream {
  const queue: Uint8Array[] = [];
  let outcome: { error?: unknown } | undefined;
  let isClosed = false;
  let wake: () => void = () => undefined;
  signal?.addEventListener("abort", () => finish({ error: signal.reason }));

  function finish(how: { error?: unknown }): void {
    outcome ??= how;
    wake();
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = queue.shift();
        if (chunk) {
          yield chunk;
          continue;
        }
        if (outcome) {
          if ("error" in outcome) throw outcome.error;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      isClosed = true;
    }
  }

  return {
    chunks: read(),
    get isClosed() {
      return isClosed;
    },
    push(chunk) {
      queue.push(typeof chunk === "string" ? encodeText(chunk) : chunk);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
  };
}

export function streamResponse(stream: FedStream, headers: HttpHeaders = {}): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...headers },
    body: { kind: "stream", chunks: stream.chunks },
  };
}
