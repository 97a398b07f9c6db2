// The queue of a controller: keys that failed come back when the limiter says so.
// Upstream: k8s.io/client-go/util/workqueue/rate_limiting_queue.go
import { createDelayingQueue, type DelayingQueue } from "./delaying-queue.ts";
import type { QueueMetricsOptions } from "./metrics.ts";
import { defaultControllerLimiter, type RateLimiter } from "./rate-limiters.ts";

export interface RateLimitingQueue<K> extends DelayingQueue<K> {
  addRateLimited(key: K): void;
  /** Clears the key's failures, not a delayed add that is pending. */
  forget(key: K): void;
  numRequeues(key: K): number;
}

export interface RateLimitingQueueOptions<K> extends QueueMetricsOptions {
  /** The default controller limiter when absent. */
  readonly limiter?: RateLimiter<K>;
}

export function createRateLimitingQueue<K extends {}>(options: RateLimitingQueueOptions<K>): RateLimitingQueue<K> {
  const queue = createDelayingQueue<K>(options);
  const limiter = options.limiter ?? defaultControllerLimiter<K>(options.clock);
  return {
    ...queue,
    addRateLimited: (key) => queue.addAfter(key, limiter.when(key)),
    forget: limiter.forget,
    numRequeues: limiter.numRequeues,
  };
}
