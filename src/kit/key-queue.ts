// A controller's queue of object keys. Adding a key says why; the causes travel to the sync of that
// key when somebody traces, and cost one undefined check when nobody does.

import type { ObjectKey } from "#api/object.ts";
import type { RateLimiter } from "#workqueue/rate-limiters.ts";
import { createRateLimitingQueue, type RateLimitingQueue } from "#workqueue/rate-limiting-queue.ts";
import type { ControllerContext } from "./controller.ts";
import type { Cause, SyncTrace } from "./trace.ts";

/** A key that is added a thousand times before its sync is explained well enough by this many. */
const CAUSES_PER_KEY_MAX = 16;

export interface KeyQueueOptions {
  readonly context: Pick<ControllerContext, "clock" | "metrics" | "trace">;
  /** The controller's name in traces. */
  readonly controller: string;
  /** The name in the workqueue metrics. */
  readonly name: string;
  readonly rateLimiter?: RateLimiter<ObjectKey>;
}

export class KeyQueue {
  readonly controller: string;
  readonly trace: SyncTrace | undefined;
  readonly #clock: ControllerContext["clock"];
  readonly #queue: RateLimitingQueue<ObjectKey>;
  readonly #causes = new Map<ObjectKey, Cause[]>();

  constructor({ context, controller, name, rateLimiter }: KeyQueueOptions) {
    this.controller = controller;
    this.trace = context.trace;
    this.#clock = context.clock;
    this.#queue = createRateLimitingQueue({
      clock: context.clock,
      ...(rateLimiter === undefined ? {} : { limiter: rateLimiter }),
      name,
      metrics: context.metrics,
    });
  }

  add(key: ObjectKey, cause: Cause): void {
    this.#note(key, cause);
    this.#queue.add(key);
  }

  addAfter(key: ObjectKey, afterMs: number, reason: string): void {
    this.#note(key, { kind: "timer", afterMs, reason });
    this.#queue.addAfter(key, afterMs);
  }

  /** Back-off after a failure. */
  retry(key: ObjectKey, error: string): void {
    this.#note(key, { kind: "retry", error, attempt: this.#queue.numRequeues(key) + 1 });
    this.#queue.addRateLimited(key);
  }

  /** How often the key has been retried since it last succeeded. */
  retries(key: ObjectKey): number {
    return this.#queue.numRequeues(key);
  }

  /** The failures of this key are history. */
  forget(key: ObjectKey): void {
    this.#queue.forget(key);
  }

  /** Waits for a key; nothing once the queue is shut down and empty. Each key taken must be given back with done. */
  take(signal: AbortSignal): Promise<ObjectKey | undefined> {
    return this.#queue.get(signal);
  }

  done(key: ObjectKey): void {
    this.#queue.done(key);
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  /** Why this key was queued since its last sync. */
  takeCauses(key: ObjectKey): readonly Cause[] {
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    return causes;
  }

  nowMs(): number {
    return this.#clock.now();
  }

  #note(key: ObjectKey, cause: Cause): void {
    if (this.trace === undefined) return;
    this.trace.queued(this.controller, key, cause);
    const causes = this.#causes.get(key);
    if (causes === undefined) this.#causes.set(key, [cause]);
    else if (causes.length < CAUSES_PER_KEY_MAX) causes.push(cause);
  }
}
