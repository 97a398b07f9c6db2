import { describe, expect, it } from "vitest";
import { durationMs, validity } from "./validity.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 0, 10);

describe("how long a certificate is valid", () => {
  it.each([
    { asked: undefined, defaultMs: DAY_MS, ms: DAY_MS },
    { asked: 3600, defaultMs: DAY_MS, ms: HOUR_MS },
    { asked: 2 * 24 * 3600, defaultMs: DAY_MS, ms: DAY_MS },
    { asked: 60, defaultMs: DAY_MS, ms: 10 * MINUTE_MS },
    { asked: 60, defaultMs: 5 * MINUTE_MS, ms: 10 * MINUTE_MS },
    { asked: 600, defaultMs: 5 * MINUTE_MS, ms: 5 * MINUTE_MS },
  ])(
    "certificatesigningrequest-signing/9 asked for $asked s, at most $defaultMs ms: $ms ms",
    ({ asked, defaultMs, ms }) => {
      expect(durationMs(asked, defaultMs)).toBe(ms);
    },
  );

  it.each([
    { what: "short: the end is not backdated", ttlMs: 8 * HOUR_MS - 1, ca: DAY_MS, untilMs: 8 * HOUR_MS - 1 },
    { what: "long: the end is backdated, too", ttlMs: 8 * HOUR_MS, ca: DAY_MS, untilMs: 8 * HOUR_MS - 5 * MINUTE_MS },
    { what: "beyond the CA", ttlMs: 2 * DAY_MS, ca: DAY_MS, untilMs: DAY_MS },
  ])("certificatesigningrequest-signing/10 $what", ({ ttlMs, ca, untilMs }) => {
    expect(validity(NOW, ttlMs, NOW + ca)).toEqual({ notBefore: NOW - 5 * MINUTE_MS, notAfter: NOW + untilMs });
  });

  it("certificatesigningrequest-signing/10 no CA that has expired signs", () => {
    expect(() => validity(NOW, DAY_MS, NOW)).toThrow(
      "refusing to sign a certificate that expired in the past: NotAfter=2026-01-10 00:00:00 +0000 UTC",
    );
    expect(() => validity(NOW, DAY_MS, NOW - 5 * MINUTE_MS)).toThrow(
      "the signer has expired: NotAfter=2026-01-09 23:55:00 +0000 UTC",
    );
  });
});
