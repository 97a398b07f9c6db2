// Records the requests to the embedded server in order: the trace that two runs of one seed must share, and the writes
// that scenarios check.

import { parseExactJson } from "#api/json.ts";
import type { Clock } from "#base/clock.ts";
import type { HttpBody, Transport } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";

export interface LoggedRequest {
  readonly atMs: number;
  /** The suffix of the user agent: the requesting component. */
  readonly who: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** HTTP status, or 0 when no answer came. */
  readonly code: number;
  /** The decoded request body of a write. */
  readonly body?: unknown;
}

export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Write requests, oldest first. */
  get writes(): readonly LoggedRequest[] {
    return this.requests.filter(({ method }) => method !== "GET" && method !== "HEAD");
  }

  /** One line per request: equal lines mean equal runs. */
  get lines(): readonly string[] {
    return this.requests.map(
      ({ atMs, who, method, target, code, body }) =>
        `${atMs} ${who} ${method} ${target} ${code} ${body === undefined ? "" : stringifyJson(body)}`,
    );
  }

  /** Records the requests through this transport. */
  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const atMs = this.#clock.monotonicMs();
        const { method, path, query } = request;
        const body = request.body === undefined ? undefined : decoded(request.body);
        const entry = {
          atMs,
          who:
            String(request.headers["user-agent"] ?? "")
              .split("/")
              .at(-1) ?? "",
          method,
          target: query === "" ? path : `${path}?${query}`,
          ...(body === undefined ? {} : { body }),
        };
        try {
          const response = await transport.send(request, signal);
          this.requests.push({ ...entry, code: response.status });
          return response;
        } catch (error) {
          this.requests.push({ ...entry, code: 0 });
          throw error;
        }
      },
    };
  }
}

function decoded(body: HttpBody): unknown {
  if (body.kind === "object") return body.value;
  if (body.kind !== "bytes" || body.bytes.length === 0) return undefined;
  const text = new TextDecoder().decode(body.bytes);
  return /^\s*[[{]/.test(text) ? parseExactJson(text) : text;
}
