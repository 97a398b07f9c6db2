// A network between a manager and the embedded server that a scenario can interfere with: have requests
// answered with an error, do something just before they arrive, or hold them; and end the open watches.

import { ApiError } from "#api/status-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";

/** "PUT secrets": the method, and the resource that the path names. */
type Matching = string;

interface Rule {
  readonly matching: Matching;
  left: number;
  readonly before: () => Promise<void> | void;
}

export class FaultyNetwork {
  readonly #rules: Rule[] = [];
  readonly #streams = new Set<() => void>();

  /** The next so many matching requests are answered with this error. */
  refuse(matching: Matching, error: ApiError, times = 1): void {
    this.before(
      matching,
      () => {
        throw error;
      },
      times,
    );
  }

  /** Happens just before the next so many matching requests reach the server. */
  before(matching: Matching, step: () => Promise<void> | void, times = 1): void {
    this.#rules.push({ matching, left: times, before: step });
  }

  /** Ends all open watches, as a server that goes away does. */
  endWatches(): void {
    for (const end of this.#streams) end();
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const rule = this.#rules.find(({ matching, left }) => left > 0 && matching === describe(request));
        try {
          if (rule !== undefined) {
            rule.left--;
            await rule.before();
          }
        } catch (error) {
          if (error instanceof ApiError) return answer(error);
          throw error;
        }
        const response = await transport.send(request, signal);
        const { body } = response;
        if (body.kind !== "stream") return response;
        return { ...response, body: { kind: "stream", chunks: this.#endable(body.chunks) } };
      },
    };
  }

  async *#endable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const ended = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const end = (): void => ended.resolve({ done: true, value: undefined });
    this.#streams.add(end);
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const result = await Promise.race([iterator.next(), ended.promise]);
        if (result.done) return;
        yield result.value;
      }
    } finally {
      this.#streams.delete(end);
      await iterator.return?.();
    }
  }
}

/** Watches are of the method "WATCH". */
function describe({ method, path, query }: HttpRequest): Matching {
  const resource = /^\/apis?\/(?:[^/]+\/)?v[^/]*\/(?:namespaces\/[^/]+\/(?=.))?([^/]+)/.exec(path)?.[1] ?? path;
  return `${/\bwatch=/.test(query) ? "WATCH" : method} ${resource}`;
}

function answer(error: ApiError): HttpResponse {
  return {
    status: error.code,
    headers: { "content-type": "application/json" },
    body: { kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(error.status)) },
  };
}
