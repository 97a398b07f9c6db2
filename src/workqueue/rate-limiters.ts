// How long a failed key has to wait.
// Upstream: k8s.io/client-go/util/workqueue/default_rate_limiters.go
import type { Clock } from "#base/clock.ts";
import { TokenBucket, type TokenBucketLimits } from "#base/token-bucket.ts";

/** Identifies keys by their ids: see QueueOptions.idOf. */
export interface RateLimiter {
  /** Counts one more failure of the key and says how many milliseconds it should wait. */
  when(id: unknown): number;
  /** Stops tracking the key. */
  forget(id: unknown): void;
  /** The failures counted so far. */
  numRequeues(id: unknown): number;
}

/** base·2^n for the n-th failure after the first, up to a maximum. */
export function itemExponentialLimiter(limits: { baseMs: number; maxMs: number }): RateLimiter {
  return itemLimiter((failures) => Math.min(limits.baseMs * 2 ** (failures - 1), limits.maxMs));
}

/** A short delay for the first failures of a key, a long one from then on. */
export function itemFastSlowLimiter(limits: { fastMs: number; slowMs: number; fastAttemptsMax: number }): RateLimiter {
  return itemLimiter((failures) => (failures <= limits.fastAttemptsMax ? limits.fastMs : limits.slowMs));
}

/**
 * The same delay after every sync, successful or not: a key that is always added through this limiter is synced once
 * per interval.
 * Upstream: pkg/controller/podautoscaler/rate_limiters.go.
 */
export function fixedIntervalLimiter(intervalMs: number): RateLimiter {
  return { when: () => intervalMs, forget: () => undefined, numRequeues: () => 1 };
}

/** One bucket for all keys. Each call reserves a token, so mass failures spread out. */
export function bucketLimiter(clock: Clock, limits: TokenBucketLimits): RateLimiter {
  const bucket = new TokenBucket(clock, limits);
  return { when: () => bucket.reserve().delayMs(), forget: () => undefined, numRequeues: () => 0 };
}

/** The longest of the delays. */
export function maxOfLimiter(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (id) => Math.max(0, ...limiters.map((limiter) => limiter.when(id))),
    forget: (id) => {
      for (const limiter of limiters) limiter.forget(id);
    },
    numRequeues: (id) => Math.max(0, ...limiters.map((limiter) => limiter.numRequeues(id))),
  };
}

/** No delay above maxMs. */
export function maxWaitLimiter(limiter: RateLimiter, maxMs: number): RateLimiter {
  return { ...limiter, when: (id) => Math.min(limiter.when(id), maxMs) };
}

/** 5 ms·2^n up to 1000 s per key, and 10 a second with a burst of 100 over all. */
export function defaultControllerLimiter(clock: Clock): RateLimiter {
  return maxOfLimiter(
    itemExponentialLimiter({ baseMs: 5, maxMs: 1_000_000 }),
    bucketLimiter(clock, { perSecond: 10, burst: 100 }),
  );
}

/** 1 ms·2^n up to 1000 s per key. */
export function defaultItemBasedLimiter(): RateLimiter {
  return itemExponentialLimiter({ baseMs: 1, maxMs: 1_000_000 });
}

function itemLimiter(delayMs: (failures: number) => number): RateLimiter {
  const failures = new Map<unknown, number>();
  const numRequeues = (id: unknown): number => failures.get(id) ?? 0;
  return {
    when(id) {
      const count = numRequeues(id) + 1;
      failures.set(id, count);
      return delayMs(count);
    },
    forget: (id) => {
      failures.delete(id);
    },
    numRequeues,
  };
}
