// When a PodCertificateRequest is too old, regardless of its status.
// Upstream: pkg/controller/certificates/cleaner/pcrcleaner.go.

import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

const AGE_MS_MAX = 15 * 60_000;

export function isExpired({ creationTimestamp }: { readonly creationTimestamp: string }, now: EpochMs): boolean {
  return now >= parseTime(creationTimestamp) + AGE_MS_MAX;
}
