// Client-side throttling: a token bucket that starts full, refills continuously, and hands out
// reservations in order. One bucket per client; watches do not pass through it.

import type { Clock } from "#base/clock.ts";

export interface RateLimiter {
  /** Resolves when the caller may send. An aborted wait gives its token back. */
  wait(signal: AbortSignal): Promise<void>;
}

export interface RateLimits {
  /** Below 0: no limit. 0: the library's default of 5 with a burst of 10. */
  readonly qps: number;
  readonly burst: number;
}

const DEFAULT_QPS = 5;
const DEFAULT_BURST = 10;

/** Undefined means: do not limit. */
// Upstream: client-go/rest/config.go, RESTClientForConfigAndClient; kubernetes/clientset.go, NewForConfigAndClient
export function rateLimiterFor(limits: RateLimits, clock: Clock): RateLimiter | undefined {
  if (limits.qps < 0) return undefined;
  if (limits.qps > 0 && limits.burst <= 0) {
    throw new RangeError(
      "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0",
    );
  }
  const qps = limits.qps === 0 ? DEFAULT_QPS : limits.qps;
  const burst = limits.burst === 0 ? DEFAULT_BURST : limits.burst;
  return tokenBucket({ qps, burst }, clock);
}

/** The bucket of golang.org/x/time/rate, on the monotonic clock. */
export function tokenBucket({ qps, burst }: RateLimits, clock: Clock): RateLimiter {
  const perMs = qps / 1000;
  let tokens = burst;
  let updatedAt = clock.monotonicMs();
  /** When the last reservation becomes due. */
  let lastDueAt = updatedAt;

  function refill(now: number): void {
    tokens = Math.min(burst, tokens + (now - updatedAt) * perMs);
    updatedAt = now;
  }

  /** Tokens reserved after the one given back stay reserved: their owners were told when to go. */
  function giveBack(dueAt: number): void {
    const restored = 1 - (lastDueAt - dueAt) * perMs;
    if (restored <= 0) return;
    refill(clock.monotonicMs());
    tokens = Math.min(burst, tokens + restored);
    if (dueAt === lastDueAt) lastDueAt -= 1 / perMs;
  }

  return {
    async wait(signal) {
      signal.throwIfAborted();
      const now = clock.monotonicMs();
      refill(now);
      tokens -= 1;
      const delayMs = tokens < 0 ? -tokens / perMs : 0;
      const dueAt = now + delayMs;
      lastDueAt = dueAt;
      if (delayMs === 0) return;
      try {
        await clock.sleep(delayMs, signal);
      } catch (error) {
        if (dueAt > clock.monotonicMs()) giveBack(dueAt);
        throw error;
      }
    },
  };
}
