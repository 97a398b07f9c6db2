// How long a key that failed has to wait.
// Upstream: k8s.io/client-go/util/workqueue/default_rate_limiters.go
import type { Clock } from "#base/clock.ts";
import { TokenBucket, type TokenBucketLimits } from "#base/token-bucket.ts";

export interface RateLimiter<K> {
  /** Counts one more failure of the key and says how many milliseconds it should wait. */
  when(key: K): number;
  /** Stops tracking the key. */
  forget(key: K): void;
  /** The failures counted so far. */
  numRequeues(key: K): number;
}

/** base·2^n for the n-th failure after the first, up to a maximum. */
export function itemExponentialLimiter<K>(limits: { baseMs: number; maxMs: number }): RateLimiter<K> {
  return itemLimiter((failures) => Math.min(limits.baseMs * 2 ** (failures - 1), limits.maxMs));
}

/** A short delay for the first failures of a key, a long one from then on. */
export function itemFastSlowLimiter<K>(limits: {
  fastMs: number;
  slowMs: number;
  fastAttemptsMax: number;
}): RateLimiter<K> {
  return itemLimiter((failures) => (failures <= limits.fastAttemptsMax ? limits.fastMs : limits.slowMs));
}

/** One bucket for all keys. Each call reserves a token, so mass failures spread out. */
export function bucketLimiter<K>(clock: Clock, limits: TokenBucketLimits): RateLimiter<K> {
  const bucket = new TokenBucket(clock, limits);
  return { when: () => bucket.reserve().delayMs(), forget: () => undefined, numRequeues: () => 0 };
}

/** The longest of the delays. */
export function maxOfLimiter<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => Math.max(0, ...limiters.map((limiter) => limiter.when(key))),
    forget: (key) => {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => Math.max(0, ...limiters.map((limiter) => limiter.numRequeues(key))),
  };
}

/** No delay above maxMs. */
export function maxWaitLimiter<K>(limiter: RateLimiter<K>, maxMs: number): RateLimiter<K> {
  return { ...limiter, when: (key) => Math.min(limiter.when(key), maxMs) };
}

/** 5 ms·2^n up to 1000 s per key, and 10 a second with a burst of 100 over all. */
export function defaultControllerLimiter<K>(clock: Clock): RateLimiter<K> {
  return maxOfLimiter(
    itemExponentialLimiter({ baseMs: 5, maxMs: 1_000_000 }),
    bucketLimiter(clock, { perSecond: 10, burst: 100 }),
  );
}

/** 1 ms·2^n up to 1000 s per key. */
export function defaultItemBasedLimiter<K>(): RateLimiter<K> {
  return itemExponentialLimiter({ baseMs: 1, maxMs: 1_000_000 });
}

function itemLimiter<K>(delayMs: (failures: number) => number): RateLimiter<K> {
  const failures = new Map<K, number>();
  const numRequeues = (key: K): number => failures.get(key) ?? 0;
  return {
    when(key) {
      const count = numRequeues(key) + 1;
      failures.set(key, count);
      return delayMs(count);
    },
    forget: (key) => {
      failures.delete(key);
    },
    numRequeues,
  };
}
