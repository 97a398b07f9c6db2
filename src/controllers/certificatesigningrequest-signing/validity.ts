// The validity of a certificate: backdated by five minutes for clocks that are slow, and never beyond its CA.
// Upstream: pkg/controller/certificates/authority/policies.go, apply; signer/signer.go, duration

import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

const MINUTE_MS = 60_000;
const BACKDATE_MS = 5 * MINUTE_MS;
const DURATION_MS_MIN = 10 * MINUTE_MS;
/** Five minutes are about one percent of this duration. The end of shorter certificates is not backdated. */
const SHORT_MS = 8 * 60 * MINUTE_MS;

export interface Validity {
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
}

/** The requested duration, at most the default. */
export function durationMs(expirationSeconds: number | undefined, defaultMs: number): number {
  if (expirationSeconds === undefined || expirationSeconds * 1000 > defaultMs) return defaultMs;
  return Math.max(expirationSeconds * 1000, DURATION_MS_MIN);
}

/** Throws when the CA has expired. */
export function validity(now: EpochMs, ttlMs: number, caNotAfter: EpochMs): Validity {
  const notBefore = now - BACKDATE_MS;
  if (notBefore >= caNotAfter) throw new Error(`the signer has expired: NotAfter=${goTime(caNotAfter)}`);
  if (now >= caNotAfter) {
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${goTime(caNotAfter)}`);
  }
  const notAfter = ttlMs < SHORT_MS ? now + ttlMs : now + ttlMs - BACKDATE_MS;
  return { notBefore, notAfter: Math.min(notAfter, caNotAfter) };
}

/** How Go prints the time: "2026-01-01 00:00:00 +0000 UTC". */
const goTime = (time: EpochMs): string => formatTime(time).replace("T", " ").replace("Z", " +0000 UTC");
