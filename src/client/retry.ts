// Which outcomes of an attempt are worth a retry, and how long to wait before it. Pure.
// Upstream: client-go/rest/with_retry.go, IsNextRetry; client-go/rest/request.go, request and Watch

import { type HttpHeaders, TransportError } from "#base/http.ts";
import { headerValue, retryAfterSeconds } from "#client/headers.ts";

export const RETRIES_MAX = 10;

/** The outcome of one attempt: an answer with its status and headers, or an error. */
export type Outcome =
  | { readonly status: number; readonly headers: HttpHeaders }
  | { readonly status: 0; readonly error: unknown };

/** "once": a body that streams cannot be sent a second time. */
export type RetryClass = "read" | "write" | "watch" | "once";

/** A lost connection is retried after this long, as if the server had asked for it. */
const LOST_CONNECTION_WAIT_SECONDS = 1;

/** True if the connection was lost in a way that a retry may fix. Writes are not idempotent. */
export function isLostConnection(error: unknown, kind: RetryClass): boolean {
  if (!(error instanceof TransportError) || kind === "write" || kind === "once") return false;
  return error.failure === "reset" || (kind === "watch" && error.failure === "timeout");
}

export interface Retry {
  readonly waitMs: number;
  readonly reason: string;
}

/** The retry that this outcome of the nth attempt asks for, if any. */
export function nextRetry(outcome: Outcome, attempt: number, kind: RetryClass): Retry | undefined {
  if (attempt > RETRIES_MAX || kind === "once") return undefined;
  if (outcome.status === 0) {
    if (!("error" in outcome) || !isLostConnection(outcome.error, kind)) return undefined;
    const error = outcome.error as TransportError;
    return retry(attempt, LOST_CONNECTION_WAIT_SECONDS, `due to retryable error, error: ${error.message}`);
  }
  if (!("headers" in outcome) || (outcome.status !== 429 && outcome.status < 500)) return undefined;
  const seconds = retryAfterSeconds(outcome.headers);
  if (seconds === undefined) return undefined;
  if (outcome.status !== 429) return retry(attempt, seconds, String(outcome.status));
  const flowSchema = headerValue(outcome.headers, "x-kubernetes-pf-flowschema-uid");
  return retry(attempt, seconds, `due to server-side throttling, FlowSchema UID: ${JSON.stringify(flowSchema)}`);
}

function retry(attempt: number, seconds: number, why: string): Retry {
  return {
    waitMs: Math.max(0, seconds) * 1000,
    reason: `retries: ${attempt}, retry-after: ${seconds}s - retry-reason: ${why}`,
  };
}
