// A controller's queue of keys. Keys are strings, or values that a text names: equal text, equal key. Adding a key says
// why; the causes travel to the sync of that key under a trace, and cost one undefined check without one.

import type { ObjectKey } from "#api/object.ts";
import { itself } from "#workqueue/queue.ts";
import type { RateLimiter } from "#workqueue/rate-limiters.ts";
import { createRateLimitingQueue, type RateLimitingQueue } from "#workqueue/rate-limiting-queue.ts";
import type { ControllerContext } from "./controller.ts";
import type { Cause, SyncTrace } from "./trace.ts";

/** A key that is added a thousand times before its sync is explained well enough by this many. */
const CAUSES_PER_KEY_MAX = 16;

interface CommonSettings<K> {
  /** The name in the workqueue metrics. */
  readonly name: string;
  /** 5 ms·2^n up to 1000 s per key, and 10 a second over all keys, unless given. */
  readonly rateLimiter?: RateLimiter;
  /** What traces and logs call a key. */
  readonly text?: (key: K) => string;
  /** Two keys with one text are one key, unless keys are objects that are themselves only. */
  readonly equality?: "text" | "identity";
}

/** A key that is no string needs a text. */
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

  /** Of two delays of one key the earlier end counts. A reason alone means that time has to pass. */
  addAfter(key: K, afterMs: number, why: Cause | string): void {
    this.#note(key, typeof why === "string" ? { kind: "timer", afterMs, reason: why } : why);
    this.#queue.addAfter(key, afterMs);
  }

  /** Adds the key when the limiter says so. */
  addRateLimited(key: K, cause: Cause): void {
    this.#note(key, cause);
    this.#queue.addRateLimited(key);
  }

  /** Back-off after a failure. */
  retry(key: K, error: string): void {
    this.addRateLimited(key, { kind: "retry", error, attempt: this.#queue.numRequeues(key) + 1 });
  }

  /** How often the key has been retried since it last succeeded. */
  retries(key: K): number {
    return this.#queue.numRequeues(key);
  }

  /** The failures of this key are history. */
  forget(key: K): void {
    this.#queue.forget(key);
  }

  /** Waits for a key; nothing once the queue is shut down and empty. Each key taken must be given back with done. */
  take(signal: AbortSignal): Promise<K | undefined> {
    return this.#queue.get(signal);
  }

  done(key: K): void {
    this.#queue.done(key);
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  /** Why this key was queued since its last sync. */
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
