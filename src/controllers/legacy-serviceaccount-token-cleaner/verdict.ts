// Decides about one auto-generated token, without the API.
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

/** The end of the day on which the API server began to record the use of legacy tokens. */
export function trackedSince(date: string | undefined): EpochMs {
  if (date === undefined) throw new Error("configMap does not have since label");
  return parseDate(date) + DAY_MS;
}

/** True if the token is old enough and has been unused for long enough. */
export function isIdle({ type, metadata }: Stored<Secret>, beforeMs: EpochMs): boolean {
  if (type !== "kubernetes.io/service-account-token" || metadata.deletionTimestamp !== undefined) return false;
  if ((timeOrUndefined(metadata.creationTimestamp) ?? 0) >= beforeMs) return false;
  const lastUsed = metadata.labels?.[LAST_USED];
  return lastUsed === undefined || (isDate(lastUsed) && lastUsed < dateOf(beforeMs));
}

/** True if the token controller created the token: the account lists the Secret. Tokens created by users are kept. */
export function isGenerated(secret: Stored<Secret>, account: Stored<ServiceAccount> | undefined): boolean {
  return account?.secrets?.some(({ name }) => name === secret.metadata.name) ?? false;
}

/** An idle token is first marked as invalid, and deleted after it has been marked for the same period. */
export function verdictOn({ metadata }: Stored<Secret>, beforeMs: EpochMs): Verdict {
  const invalidSince = metadata.labels?.[INVALID_SINCE] ?? "";
  if (!isDate(invalidSince)) return "mark";
  return invalidSince < dateOf(beforeMs) ? "delete" : "keep";
}
