// A valve on response streams: while it is closed, what the server sends piles up and the client sees a
// connection that is alive and silent. That is how a slow watch looks. Who hangs up need not wait for it.

import { orAborted } from "#base/abort.ts";
import type { HttpRequest, Transport } from "#base/http.ts";

export class StreamValve {
  #opened: Promise<void> | undefined;
  #open: (() => void) | undefined;

  close(): void {
    if (this.#opened !== undefined) return;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#opened = undefined;
  }

  /** Streams of matching requests pass through the valve. */
  over(transport: Transport, matches: (request: HttpRequest) => boolean): Transport {
    return {
      send: async (request, signal) => {
        const response = await transport.send(request, signal);
        if (response.body.kind !== "stream" || !matches(request)) return response;
        return { ...response, body: { kind: "stream", chunks: this.#gated(response.body.chunks, signal) } };
      },
    };
  }

  async *#gated(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      while (this.#opened !== undefined) await orAborted(this.#opened, signal);
      yield chunk;
    }
  }
}
