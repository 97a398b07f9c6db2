// The network between a manager and the embedded server as a test wants it: requests are written down,
// answered otherwise, or held back, and streams are cut.

import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import { failure } from "#informers/testing.ts";

type Matches = (request: HttpRequest) => boolean;
type Answer = (request: HttpRequest) => HttpResponse | Promise<undefined> | undefined;

export class Network {
  /** All requests of the manager, as they left it. */
  readonly requests: HttpRequest[] = [];
  readonly #streams: { readonly request: HttpRequest; readonly end: AbortController }[] = [];
  #answer: Answer = () => undefined;
  #release: () => void = () => undefined;

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        this.requests.push(request);
        const end = new AbortController();
        this.#streams.push({ request, end });
        return (await this.#answer(request)) ?? transport.send(request, AbortSignal.any([signal, end.signal]));
      },
    };
  }

  /** Asked about each request from now on: what to answer instead of the server. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }

  /** From now on the server's answer to such requests is this Status. */
  refuse(code: number, reason: string, matches: Matches): void {
    this.answer((request) => (matches(request) ? failure(code, reason, `it is ${reason}`) : undefined));
  }

  /** From now on such requests wait. */
  hold(matches: Matches): void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#release = () => resolve(undefined);
    this.answer((request) => (matches(request) ? promise : undefined));
  }

  /** Lets everything through again, what waits too. */
  pass(): void {
    this.answer(() => undefined);
    this.#release();
  }

  /** Ends what such requests still receive. */
  cut(matches: Matches): void {
    for (const { request, end } of this.#streams) {
      if (matches(request)) end.abort(new TransportError("reset", "connection reset by peer"));
    }
  }
}

/** Such as isTo("POST", "pods") or isTo("PUT", "replicasets/web/status"). */
export function isTo(method: string, end: string): Matches {
  return (request) => request.method === method && request.path.endsWith(`/${end}`);
}

export function isDeletionOfPod({ method, path }: HttpRequest): boolean {
  return method === "DELETE" && /\/pods\/[^/]+$/.test(path);
}
