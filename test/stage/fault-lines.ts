// Faults of the connection between a manager and the API server, for the stage with faults. All requests and watches of
// the manager pass through one Line.

import { orAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";

export type Fault =
  /**
   * The manager dies before its first write (0), or right after this many writes, without receiving the last answer.
   */
  | { readonly kind: "death"; readonly afterWrites: number }
  /** All watches break after each write. */
  | { readonly kind: "cut watches" }
  /** Watches deliver every event late. */
  | { readonly kind: "lag"; readonly ms: number };

export interface LineOptions {
  readonly fault: Fault;
  readonly clock: Clock;
  /** Whether the request is a write that faults count. */
  readonly isCounted: (request: HttpRequest) => boolean;
  /** Called when the manager dies. After that, no request of the manager reaches the server. */
  readonly onDeath: () => void;
}

export interface Line {
  over(transport: Transport): Transport;
}

export function faultyLine({ fault, clock, isCounted, onDeath }: LineOptions): Line {
  switch (fault.kind) {
    case "death":
      return new MortalLine(fault.afterWrites, isCounted, onDeath);
    case "cut watches":
      return new BreakingLine(isCounted);
    case "lag":
      return { over: (transport) => lagging(transport, clock, fault.ms) };
  }
}

/** After the manager's death no request reaches the server, and no answer or event comes back. */
class MortalLine implements Line {
  readonly #isCounted: (request: HttpRequest) => boolean;
  readonly #onDeath: () => void;
  #writesLeft: number;
  #isDead = false;

  constructor(afterWrites: number, isCounted: (request: HttpRequest) => boolean, onDeath: () => void) {
    this.#writesLeft = afterWrites;
    this.#isCounted = isCounted;
    this.#onDeath = onDeath;
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const isCounted = this.#isCounted(request);
        if (isCounted && this.#writesLeft === 0) this.#die();
        if (this.#isDead) return silence(signal);
        const response = await transport.send(request, signal);
        if (this.#isDead) return silence(signal);
        if (isCounted && isSuccess(response) && --this.#writesLeft === 0) this.#die();
        return this.#isDead ? silence(signal) : this.#silenced(response, signal);
      },
    };
  }

  #die(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#onDeath();
  }

  #silenced(response: HttpResponse, signal: AbortSignal): HttpResponse {
    const { body } = response;
    if (body.kind !== "stream") return response;
    const isDead = (): boolean => this.#isDead;
    async function* chunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        if (isDead()) await silence(signal);
        yield chunk;
      }
      if (isDead()) await silence(signal);
    }
    return { ...response, body: { kind: "stream", chunks: chunks(body.chunks) } };
  }
}

/** Breaks the open watches after each committed write. */
class BreakingLine implements Line {
  readonly #isCounted: (request: HttpRequest) => boolean;
  readonly #streams = new BreakableStreams();

  constructor(isCounted: (request: HttpRequest) => boolean) {
    this.#isCounted = isCounted;
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        const response = await transport.send(request, signal);
        if (this.#isCounted(request) && isSuccess(response)) this.#streams.breakAll();
        return this.#streams.of(response);
      },
    };
  }
}

/** An outage of the API server: connections break, and new ones are refused. */
export class Outage implements Line {
  readonly #streams = new BreakableStreams();
  #isGone = false;

  begin(): void {
    this.#isGone = true;
    this.#streams.breakAll();
  }

  end(): void {
    this.#isGone = false;
  }

  over(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        if (this.#isGone) throw new TransportError("refused", "connect: connection refused");
        const response = await transport.send(request, signal);
        if (this.#isGone) throw reset();
        return this.#streams.of(response);
      },
    };
  }
}

const reset = (): TransportError => new TransportError("reset", "read: connection reset by peer");

class BreakableStreams {
  readonly #open = new Set<(error: Error) => void>();

  of(response: HttpResponse): HttpResponse {
    const { body } = response;
    if (body.kind !== "stream") return response;
    return { ...response, body: { kind: "stream", chunks: this.#breakable(body.chunks) } };
  }

  breakAll(): void {
    for (const reject of this.#open) reject(reset());
    this.#open.clear();
  }

  async *#breakable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined); // it may reject before a reader awaits it
    this.#open.add(broken.reject);
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const result = await Promise.race([iterator.next(), broken.promise]);
        if (result.done) return;
        yield result.value;
      }
    } finally {
      this.#open.delete(broken.reject);
      await iterator.return?.();
    }
  }
}

/** Delays everything on a stream. */
function lagging(transport: Transport, clock: Clock, ms: number): Transport {
  return {
    send: async (request, signal) => {
      const response = await transport.send(request, signal);
      const { body } = response;
      if (body.kind !== "stream") return response;
      return { ...response, body: { kind: "stream", chunks: delayed(body.chunks, clock, ms, signal) } };
    },
  };
}

interface Arrival {
  readonly atMs: number;
  readonly result: Promise<IteratorResult<Uint8Array>>;
}

async function* delayed(
  source: AsyncIterable<Uint8Array>,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const arrivals: Arrival[] = [];
  let arrived = Promise.withResolvers<void>();
  const pump = async (): Promise<void> => {
    for (;;) {
      const result = iterator.next();
      const settled = await result.then(
        ({ done }) => (done ? "end" : "chunk"),
        () => "end",
      );
      arrivals.push({ atMs: clock.monotonicMs(), result });
      arrived.resolve();
      if (settled === "end") return;
    }
  };
  void pump();
  try {
    for (;;) {
      const next = arrivals.shift();
      if (next === undefined) {
        arrived = Promise.withResolvers();
        await orAborted(arrived.promise, signal);
        continue;
      }
      const waitMs = next.atMs + ms - clock.monotonicMs();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      const { done, value } = await next.result;
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Waits until the manager gives up. */
function silence(signal: AbortSignal): Promise<never> {
  return orAborted(new Promise<never>(() => undefined), signal);
}
