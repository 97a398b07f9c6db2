// An API server that can be killed in the middle of its work and restarted on the same store. While it is down,
// connections are refused; requests and watches in progress are reset. Only the journal survives.

import type { ApiServer } from "#apiserver/create-api-server.ts";
import type { Journal, JournalEntry } from "#apiserver/storage/journal.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import type { Storage } from "#apiserver/storage/storage.ts";
import type { Clock } from "#base/clock.ts";
import { type HttpBody, type HttpResponse, TransportError } from "#base/http.ts";

export interface RestartableServerOptions {
  readonly clock: Clock;
  /** Opens the journal at each start; absent: a restart begins empty. */
  readonly openJournal?: () => Journal;
  /** Creates the server; `starts` counts from 1. */
  readonly create: (storage: Storage, starts: number) => ApiServer;
}

export interface StartOptions {
  /** Versions from before the start are forgotten, as by a kube-apiserver with a new watch cache. */
  readonly forgetsHistory?: boolean;
}

interface Running {
  readonly server: ApiServer;
  readonly storage: Storage;
  /** Aborted by a kill. */
  readonly life: AbortController;
}

const killed = (): TransportError => new TransportError("reset", "read: connection reset by peer");

export class RestartableServer {
  readonly #options: RestartableServerOptions;
  #running: Running | undefined;
  #starts = 0;
  #isFatal: ((entry: JournalEntry) => boolean) | undefined;

  constructor(options: RestartableServerOptions) {
    this.#options = options;
    this.start();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  start({ forgetsHistory = false }: StartOptions = {}): void {
    if (this.#running !== undefined) throw new Error("the server is running");
    if (forgetsHistory) {
      const before = this.#openStorage();
      before.compact(before.revision);
      before.close();
    }
    const storage = this.#openStorage();
    this.#running = {
      server: this.#options.create(storage, ++this.#starts),
      storage,
      life: new AbortController(),
    };
  }

  kill(): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#isFatal = undefined;
    running.life.abort(killed());
    running.server.close();
    running.storage.close();
  }

  /**
   * Kills the server right after a write that the predicate selects: the write is durable, but no answer or watch
   * reports it.
   */
  killAfterWrite(isFatal: (entry: JournalEntry) => boolean): void {
    this.#isFatal = isFatal;
  }

  close(): void {
    this.kill();
  }

  #openStorage(): Storage {
    const { clock, openJournal } = this.#options;
    if (openJournal === undefined) return new MemoryStorage({ clock });
    const journal = openJournal();
    const append = (entry: JournalEntry): void => {
      journal.append(entry);
      if (this.#isFatal?.(entry)) this.kill();
    };
    return new MemoryStorage({
      clock,
      journal: {
        load: () => journal.load(),
        append,
        compact: (revision, superseded) => journal.compact(revision, superseded),
        close: () => journal.close(),
      },
    });
  }

  async handle(request: Parameters<ApiServer["handle"]>[0], signal: AbortSignal): Promise<HttpResponse> {
    const running = this.#running;
    if (running === undefined) throw new TransportError("refused", "dial: connect: connection refused");
    const { server, life } = running;
    const response = await untilAborted(server.handle(request, signal), life.signal);
    return { ...response, body: cutBy(response.body, life.signal) };
  }
}

function cutBy(body: HttpBody, life: AbortSignal): HttpBody {
  switch (body.kind) {
    case "stream":
      return { ...body, chunks: cut(body.chunks, life) };
    case "events":
      return { ...body, batches: cut(body.batches, life) };
    default:
      return body;
  }
}

function cut<T>(items: AsyncIterable<T>, life: AbortSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => untilAborted(iterator.next(), life),
        return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
      };
    },
  };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const settle = (): void => signal.removeEventListener("abort", abort);
    work.then(resolve, reject).finally(settle);
  });
}
