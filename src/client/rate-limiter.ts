// Client-side throttling: one token bucket per client. Watches do not pass through it.

import type { Clock } from "#base/clock.ts";
import { TokenBucket } from "#base/token-bucket.ts";

export interface RateLimiter {
  /** Resolves when the caller may send. An aborted wait gives its token back. */
  wait(signal: AbortSignal): Promise<void>;
}

export interface RateLimits {
  /** Below 0: no limit. 0: the library's default of 5. */
  readonly qps: number;
  /** 0 beside a default rate: the library's default of 10. */
  readonly burst: number;
}

const DEFAULT_QPS = 5;
const DEFAULT_BURST = 10;

/** Undefined: no limit. */
// Upstream: client-go/rest/config.go, RESTClientForConfigAndClient; kubernetes/clientset.go, NewForConfigAndClient
export function rateLimiterFor({ qps, burst }: RateLimits, clock: Clock): RateLimiter | undefined {
  if (qps < 0) return undefined;
  if (qps > 0 && burst <= 0) {
    throw new RangeError(
      "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0",
    );
  }
  return new TokenBucket(clock, { perSecond: qps || DEFAULT_QPS, burst: burst || DEFAULT_BURST });
}
