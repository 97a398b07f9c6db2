// What becomes of one auto-generated token, without the API.
// Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go, evaluateSATokens.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime, parseTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const DAY_MS = 86_400_000;

export type Verdict = "keep" | "mark" | "delete";

/** The date in UTC: "2026-01-02". Dates are compared as text. */
export function dateOf(instant: EpochMs): string {
  return formatTime(instant).slice(0, 10);
}

/** Midnight of a date in UTC. */
export function parseDate(text: string): EpochMs {
  if (text.length !== 10) throw new Error(`parsing time ${JSON.stringify(text)} as "2006-01-02"`);
  return parseTime(`${text}T00:00:00Z`);
}

function isDate(text: string): boolean {
  try {
    parseDate(text);
    return true;
  } catch {
    return false;
  }
}

/** The end of the day on which the API server began to note when legacy tokens are used. */
export function trackedSince(date: string | undefined): EpochMs {
  if (date === undefined) throw new Error("configMap does not have since label");
  return parseDate(date) + DAY_MS;
}

/** Whether the token is so old, and unused for so long, that it may go. */
export function isIdle({ type, metadata }: Stored<Secret>, beforeMs: EpochMs): boolean {
  if (type !== "kubernetes.io/service-account-token" || metadata.deletionTimestamp !== undefined) return false;
  if ((timeOrUndefined(metadata.creationTimestamp) ?? 0) >= beforeMs) return false;
  const lastUsed = metadata.labels?.[LAST_USED];
  return lastUsed === undefined || (isDate(lastUsed) && lastUsed < dateOf(beforeMs));
}

/** Whether the controller of tokens made it: the account lists the Secret. Tokens that users made are theirs. */
export function isGenerated(secret: Stored<Secret>, account: Stored<ServiceAccount> | undefined): boolean {
  return account?.secrets?.some(({ name }) => name === secret.metadata.name) ?? false;
}

/** An idle token is marked as invalid first, and deleted when it has been marked for as long again. */
export function verdictOn({ metadata }: Stored<Secret>, beforeMs: EpochMs): Verdict {
  const invalidSince = metadata.labels?.[INVALID_SINCE] ?? "";
  if (!isDate(invalidSince)) return "mark";
  return invalidSince < dateOf(beforeMs) ? "delete" : "keep";
}
