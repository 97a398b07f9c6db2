// The clients that questions about callers go through. They have limits of their own: the flags' are for controllers.
// Upstream: apiserver/pkg/server/options/{authentication,authorization}.go, getClientConfig, getClient.

import type { Client } from "#client/client.ts";
import { type ClientOptions, createClient } from "#client/create-client.ts";
import { rateLimiterFor } from "#client/rate-limiter.ts";

const LIMITS = { qps: 200, burst: 400 };
const ACCESS_TIMEOUT_MS = 10_000;

export type ReviewPart = "authentication" | "authorization";

/** The time limit of a token review is for all its tries and is not the client's business (token-reviews.ts). */
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
