// Logs that requests wait for the client-side rate limit, without flooding the log.
// Upstream: client-go/rest/request.go, tryThrottleWithInfo and throttledLogger

import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";

export type ThrottleLog = (
  waitedMs: number,
  call: { readonly method: string; readonly path: string },
  retryReason: string,
) => void;

const LONG_MS = 50;
const EXTRA_LONG_MS = 1000;
/** The first enabled level is used. Each level has a minimum interval between lines. */
const LEVELS = [
  { level: 2, intervalMs: 1000 },
  { level: 0, intervalMs: 10_000 },
] as const;

export function createThrottleLog(clock: Clock, log: Logger | undefined): ThrottleLog {
  if (!log) return () => undefined;
  const lastAt = new Map<number, number>();
  const message = "Waited before sending request";
  return (waitedMs, call, retryReason) => {
    if (waitedMs <= LONG_MS) return;
    const reason = retryReason || "client-side throttling, not priority and fairness";
    const values = { delayMs: waitedMs, reason, verb: call.method, URL: call.path };
    log.v(3).info(message, values);
    if (waitedMs <= EXTRA_LONG_MS) return;
    const setting = LEVELS.find(({ level }) => log.v(level).isEnabled);
    if (!setting) return;
    const now = clock.monotonicMs();
    if (now - (lastAt.get(setting.level) ?? Number.NEGATIVE_INFINITY) < setting.intervalMs) return;
    lastAt.set(setting.level, now);
    log.v(setting.level).info(message, values);
  };
}
