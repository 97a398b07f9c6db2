// A network between a manager and the embedded server that a test can control. The test can answer requests, run a step
// just before they arrive, hold them, end open watches, and see the requests.

import { ApiError } from "#api/status-error.ts";
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";

/** The method and the resource in the path: "PUT secrets". Watches have the method "WATCH". */
type Matching = string | ((request: HttpRequest) => boolean);

/**
 * Answers a request; undefined leaves the answer to the server. `who` is the last part of the user agent. `pass` sends the
 * request to the server.
 */
export type Interception = (
  request: HttpRequest,
  who: string,
  pass: () => Promise<HttpResponse>,
) => Promise<Answer> | Answer;

/** An ApiError is sent as the answer of the server. */
type Answer = HttpResponse | ApiError | undefined;

/** A transport that asks the interception about every request. */
export function intercepted(transport: Transport, interception: Interception): Transport {
  return {
    send: async (request, signal) => {
      const who = String(request.headers["user-agent"]).split("/").at(-1) ?? "";
      const pass = (): Promise<HttpResponse> => transport.send(request, signal);
      const answer = (await interception(request, who, pass)) ?? (await pass());
      return answer instanceof ApiError ? errorResponse(answer) : answer;
    },
  };
}

interface Rule {
  readonly matching: Matching;
  left: number;
  /** Answers the request; undefined leaves the answer to the server. `pass` sends the request to the server. */
  readonly answer: (request: HttpRequest, pass: () => Promise<HttpResponse>) => Promise<HttpResponse | undefined>;
}

export class FaultyNetwork {
  /** All requests of the manager, as the manager sent them. */
  readonly requests: HttpRequest[] = [];
  readonly #rules: Rule[] = [];
  readonly #streams = new Map<() => void, HttpRequest>();
  #held = Promise.withResolvers<void>();

  /** The next `times` matching requests are answered with this error. */
  refuse(matching: Matching, error: ApiError, times = 1): void {
    this.respond(matching, errorResponse(error), times);
  }

  respond(matching: Matching, response: HttpResponse, times = 1): void {
    this.#rules.push({ matching, left: times, answer: async () => response });
  }

  /**
   * Runs the step right before each of the next `times` matching requests. An ApiError that the step throws is the
   * answer.
   */
  before(matching: Matching, step: (request: HttpRequest) => Promise<void> | void, times = 1): void {
    const answer = async (request: HttpRequest): Promise<HttpResponse | undefined> => {
      try {
        await step(request);
        return undefined;
      } catch (error) {
        if (error instanceof ApiError) return errorResponse(error);
        throw error;
      }
    };
    this.#rules.push({ matching, left: times, answer });
  }

  /** The server executes the next `times` matching requests, and the connection breaks before each answer. */
  lose(matching: Matching, times: number): void {
    const answer: Rule["answer"] = async (_, pass) => {
      await pass();
      throw new TransportError("reset", "read: connection reset by peer");
    };
    this.#rules.push({ matching, left: times, answer });
  }

  /** From now on matching requests wait. */
  hold(matching: Matching): void {
    const { promise } = this.#held;
    this.before(matching, () => promise, Number.POSITIVE_INFINITY);
  }

  /** From now on all requests pass, including the held ones. */
  pass(): void {
    this.#rules.length = 0;
    this.#held.resolve();
    this.#held = Promise.withResolvers();
  }

  /** Ends the open watches, as a server does that shuts down. */
  endWatches(matching: Matching = () => true): void {
    for (const [end, request] of this.#streams) if (isMatch(request, matching)) end();
  }

  /** The number of matching requests. */
  count(matching: Matching): number {
    return this.requests.filter((request) => isMatch(request, matching)).length;
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        this.requests.push(request);
        const pass = (): Promise<HttpResponse> => transport.send(request, signal);
        const response = (await this.#answer(request, pass)) ?? (await pass());
        const { body } = response;
        if (body.kind !== "stream") return response;
        return { ...response, body: { kind: "stream", chunks: this.#endable(body.chunks, request) } };
      },
    };
  }

  async #answer(request: HttpRequest, pass: () => Promise<HttpResponse>): Promise<HttpResponse | undefined> {
    const rule = this.#rules.find(({ matching, left }) => left > 0 && isMatch(request, matching));
    if (rule === undefined) return undefined;
    rule.left--;
    return rule.answer(request, pass);
  }

  async *#endable(chunks: AsyncIterable<Uint8Array>, request: HttpRequest): AsyncGenerator<Uint8Array> {
    const ended = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const end = (): void => ended.resolve({ done: true, value: undefined });
    this.#streams.set(end, request);
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

/** The error with which a server refuses a request. */
export function refusal(code: number, reason: string): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: `it is ${reason}`,
  });
}
export const unavailable: ApiError = refusal(503, "ServiceUnavailable");
export const forbidden: ApiError = refusal(403, "Forbidden");
export const EVERY_TIME: number = Number.POSITIVE_INFINITY;

function isMatch(request: HttpRequest, matching: Matching): boolean {
  return typeof matching === "string" ? matching === describe(request) : matching(request);
}

function describe({ method, path, query }: HttpRequest): string {
  const resource = /^\/apis?\/(?:[^/]+\/)?v[^/]*\/(?:namespaces\/[^/]+\/(?=.))?([^/]+)/.exec(path)?.[1] ?? path;
  return `${/\bwatch=/.test(query) ? "WATCH" : method} ${resource}`;
}

function errorResponse(error: ApiError): HttpResponse {
  return {
    status: error.code,
    headers: { "content-type": "application/json" },
    body: { kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(error.status)) },
  };
}
