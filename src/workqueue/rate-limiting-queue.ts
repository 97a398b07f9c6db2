// The queue of a controller: failed keys come back after the limiter's delay.
// Upstream: k8s.io/client-go/util/workqueue/rate_limiting_queue.go
import { createDelayingQueue, type DelayingQueue } from "./delaying-queue.ts";
import { itself, type QueueOptions } from "./queue.ts";
import { defaultControllerLimiter, type RateLimiter } from "./rate-limiters.ts";

export interface RateLimitingQueue<K> extends DelayingQueue<K> {
  addRateLimited(key: K): void;
  /** Clears the key's failures, but not a pending delayed add. */
  forget(key: K): void;
  numRequeues(key: K): number;
}

export interface RateLimitingQueueOptions<K> extends QueueOptions<K> {
  /** Counts failures by the ids of keys. The default controller limiter when absent. */
  readonly limiter?: RateLimiter;
}

export function createRateLimitingQueue<K extends {}>(options: RateLimitingQueueOptions<K>): RateLimitingQueue<K> {
  const { idOf = itself, limiter = defaultControllerLimiter(options.clock) } = options;
  const queue = createDelayingQueue<K>(options);
  return {
    ...queue,
    addRateLimited: (key) => queue.addAfter(key, limiter.when(idOf(key))),
    forget: (key) => limiter.forget(idOf(key)),
    numRequeues: (key) => limiter.numRequeues(idOf(key)),
  };
}
