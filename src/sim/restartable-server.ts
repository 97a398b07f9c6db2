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
  /** A kill ends it. */
  readonly life: Life;
}

const killed = (): TransportError => new TransportError("reset", "read: connection reset by peer");

/**
 * The time from a start of the server to its end. Every open watch waits for the end. An AbortSignal would be slow
 * here, because it compares each new listener with all others.
 */
class Life {
  readonly #waiting = new Set<(reason: unknown) => void>();
  #ended: { readonly reason: unknown } | undefined;

  end(reason: unknown): void {
    this.#ended ??= { reason };
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
  }

  /** The outcome of the work, or the reason of the end if that comes first. */
  during<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#ended === undefined) this.#waiting.add(reject);
      else reject(this.#ended.reason);
      const settle = (): void => void this.#waiting.delete(reject);
      work.then(resolve, reject).finally(settle);
    });
  }
}

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
      life: new Life(),
    };
  }

  kill(): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#isFatal = undefined;
    running.life.end(killed());
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
    const response = await life.during(server.handle(request, signal));
    return { ...response, body: cutBy(response.body, life) };
  }
}

function cutBy(body: HttpBody, life: Life): HttpBody {
  switch (body.kind) {
    case "stream":
      return { ...body, chunks: cut(body.chunks, life) };
    case "events":
      return { ...body, batches: cut(body.batches, life) };
    default:
      return body;
  }
}

function cut<T>(items: AsyncIterable<T>, life: Life): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => life.during(iterator.next()),
        return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
      };
    },
  };
}
