// The network between a manager and the embedded server as a test wants it: requests are written down,
// answered otherwise, or held back.

import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { failure } from "#informers/testing.ts";

export class Network {
  /** All requests of the manager, as they left it. */
  readonly requests: HttpRequest[] = [];
  /** Asked about each request: what to answer instead of the server. */
  #answer: (request: HttpRequest) => HttpResponse | Promise<undefined> | undefined = () => undefined;
  #release: () => void = () => undefined;

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        this.requests.push(request);
        return (await this.#answer(request)) ?? transport.send(request, signal);
      },
    };
  }

  /** From now on the server's answer to such requests is this Status. */
  refuse(code: number, reason: string, matches: (request: HttpRequest) => boolean): void {
    this.#answer = (request) => (matches(request) ? failure(code, reason, `it is ${reason}`) : undefined);
  }

  /** From now on such requests wait. */
  hold(matches: (request: HttpRequest) => boolean): void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#release = () => resolve(undefined);
    this.#answer = (request) => (matches(request) ? promise : undefined);
  }

  /** Lets everything through again, what waits too. */
  pass(): void {
    this.#answer = () => undefined;
    this.#release();
  }
}

/** Such as isTo("POST", "pods") or isTo("PUT", "replicasets/web/status"). */
export function isTo(method: string, end: string): (request: HttpRequest) => boolean {
  return (request) => request.method === method && request.path.endsWith(`/${end}`);
}

export function isDeletionOfPod({ method, path }: HttpRequest): boolean {
  return method === "DELETE" && /\/pods\/[^/]+$/.test(path);
}
