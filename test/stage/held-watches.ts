// Holds back the events of single resources from a manager, so that the scenario decides which event the manager sees
// first.

import { orAborted } from "#base/abort.ts";
import type { Transport } from "#base/http.ts";

export class HeldWatches {
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  /** From now on, holds back all events of the resource ("pods"). */
  hold(resource: string): void {
    if (!this.#held.has(resource)) this.#held.set(resource, Promise.withResolvers());
  }

  /** Delivers the events that were held back. */
  release(resource: string): void {
    this.#held.get(resource)?.resolve();
    this.#held.delete(resource);
  }

  releaseAll(): void {
    for (const resource of [...this.#held.keys()]) this.release(resource);
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const response = await transport.send(request, signal);
        const { body } = response;
        if (body.kind !== "stream" || !/(^|&)watch=/.test(request.query)) return response;
        const resource = request.path.split("/").at(-1) ?? "";
        return { ...response, body: { kind: "stream", chunks: this.#gated(resource, body.chunks, signal) } };
      },
    };
  }

  async *#gated(resource: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      for (let held = this.#held.get(resource); held !== undefined; held = this.#held.get(resource)) {
        await orAborted(held.promise, signal);
      }
      yield chunk;
    }
  }
}
