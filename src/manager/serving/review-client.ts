// The clients for reviews of callers. They have separate limits: those of the flags apply to controllers.
// Upstream: apiserver/pkg/server/options/{authentication,authorization}.go, getClientConfig, getClient.

import type { Client } from "#client/client.ts";
import { type ClientOptions, createClient } from "#client/create-client.ts";
import { rateLimiterFor } from "#client/rate-limiter.ts";

const LIMITS = { qps: 200, burst: 400 };
const ACCESS_TIMEOUT_MS = 10_000;

export type ReviewPart = "authentication" | "authorization";

/** The timeout of a token review covers all its tries and is handled in token-reviews.ts. */
export function createReviewClient(
  part: ReviewPart,
  options: Omit<ClientOptions, "rateLimiter" | "timeoutMs">,
): Client {
  const rateLimiter = rateLimiterFor(LIMITS, options.clock);
  return createClient({
    ...options,
    ...(rateLimiter ? { rateLimiter } : {}),
    ...(part === "authorization" ? { timeoutMs: ACCESS_TIMEOUT_MS } : {}),
  });
}
