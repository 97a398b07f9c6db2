// A controller's queue of keys. A key is a string, or a value with a text: equal texts mean equal keys. Each add names
// its cause. With a trace, the causes travel to the sync of the key; without one, they cost one undefined check.

import type { ObjectKey } from "#api/object.ts";
import { itself } from "#workqueue/queue.ts";
import type { RateLimiter } from "#workqueue/rate-limiters.ts";
import { createRateLimitingQueue, type RateLimitingQueue } from "#workqueue/rate-limiting-queue.ts";
import type { ControllerContext } from "./controller.ts";
import type { Cause, SyncTrace } from "./trace.ts";

/** The most causes that are kept for a key added many times before its sync. */
const CAUSES_PER_KEY_MAX = 16;

interface CommonSettings<K> {
  /** The name in the workqueue metrics. */
  readonly name: string;
  /** 5 ms·2^n up to 1000 s per key, and 10 a second over all keys, unless given. */
  readonly rateLimiter?: RateLimiter;
  /** What traces and logs call a key. */
  readonly text?: (key: K) => string;
  /** "text": two keys with the same text are one key. "identity": each object is a separate key. */
  readonly equality?: "text" | "identity";
}

/** A key type other than string needs `text`. */
export type QueueSettings<K = ObjectKey> = CommonSettings<K> &
  (K extends string ? unknown : { readonly text: (key: K) => string });

export type KeyQueueOptions<K = ObjectKey> = QueueSettings<K> & {
  readonly context: Pick<ControllerContext, "clock" | "metrics" | "trace">;
  /** The controller's name in traces. */
  readonly controller: string;
};

export class KeyQueue<K extends {} = ObjectKey> {
  readonly controller: string;
  readonly trace: SyncTrace | undefined;
  /** What traces and logs call a key. */
  readonly textOf: (key: K) => string;
  readonly #idOf: (key: K) => unknown;
  readonly #clock: ControllerContext["clock"];
  readonly #queue: RateLimitingQueue<K>;
  readonly #causes = new Map<unknown, Cause[]>();

  constructor(options: KeyQueueOptions<K>) {
    const { context, controller, name, rateLimiter, text = String, equality = "text" } = options;
    this.controller = controller;
    this.trace = context.trace;
    this.textOf = text;
    this.#idOf = equality === "text" ? text : itself;
    this.#clock = context.clock;
    this.#queue = createRateLimitingQueue<K>({
      clock: context.clock,
      ...(rateLimiter === undefined ? {} : { limiter: rateLimiter }),
      idOf: this.#idOf,
      name,
      metrics: context.metrics,
    });
  }

  add(key: K, cause: Cause): void {
    this.#note(key, cause);
    this.#queue.add(key);
  }

  /** Of two delays for one key the earlier end wins. A plain reason means that only time has to pass. */
  addAfter(key: K, afterMs: number, why: Cause | string): void {
    this.#note(key, typeof why === "string" ? { kind: "timer", afterMs, reason: why } : why);
    this.#queue.addAfter(key, afterMs);
  }

  /** Adds the key when the limiter says so. */
  addRateLimited(key: K, cause: Cause): void {
    this.#note(key, cause);
    this.#queue.addRateLimited(key);
  }

  /** Queues the key again with back-off after a failure. */
  retry(key: K, error: string): void {
    this.addRateLimited(key, { kind: "retry", error, attempt: this.#queue.numRequeues(key) + 1 });
  }

  /** How often the key has been retried since it last succeeded. */
  retries(key: K): number {
    return this.#queue.numRequeues(key);
  }

  /** Resets the failure count of the key. */
  forget(key: K): void {
    this.#queue.forget(key);
  }

  /** Waits for a key; undefined once the queue is shut down and empty. Call done for each key taken. */
  take(signal: AbortSignal): Promise<K | undefined> {
    return this.#queue.get(signal);
  }

  done(key: K): void {
    this.#queue.done(key);
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  /** The causes for which this key was queued since its last sync. */
  takeCauses(key: K): readonly Cause[] {
    const id = this.#idOf(key);
    const causes = this.#causes.get(id) ?? [];
    this.#causes.delete(id);
    return causes;
  }

  nowMs(): number {
    return this.#clock.now();
  }

  #note(key: K, cause: Cause): void {
    if (this.trace === undefined) return;
    this.trace.queued(this.controller, this.textOf(key), cause);
    const id = this.#idOf(key);
    const causes = this.#causes.get(id);
    if (causes === undefined) this.#causes.set(id, [cause]);
    else if (causes.length < CAUSES_PER_KEY_MAX) causes.push(cause);
  }
}
