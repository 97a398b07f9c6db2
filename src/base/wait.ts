// Periodic loops, with the timing of Go's wait package.
// Upstream: k8s.io/apimachinery/pkg/util/wait/{backoff,loop}.go
import type { Clock } from "./clock.ts";
import { jitterMs } from "./go-backoff.ts";
import type { Rng } from "./rng.ts";

/** Runs the task at once and then periodMs after each end, until the signal aborts. */
export async function until(
  task: (signal: AbortSignal) => Promise<void> | void,
  periodMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await task(signal);
    if (!(await pause(clock, periodMs, signal))) return;
  }
}

/** Like until, but each pause is drawn from [periodMs, periodMs·(1 + factor)); isSliding false counts it from the start. */
export async function jitterUntil(
  task: (signal: AbortSignal) => Promise<void> | void,
  options: { periodMs: number; factor: number; isSliding: boolean; clock: Clock; rng: Rng },
  signal: AbortSignal,
): Promise<void> {
  const { periodMs, factor, isSliding, clock, rng } = options;
  while (!signal.aborted) {
    const startedAt = clock.monotonicMs();
    await task(signal);
    const pauseMs = factor > 0 ? jitterMs(periodMs, factor, rng) : periodMs;
    const rest = isSliding ? pauseMs : pauseMs - (clock.monotonicMs() - startedAt);
    if (!(await pause(clock, rest, signal))) return;
  }
}

export interface PollOptions {
  readonly intervalMs: number;
  /** Check once before the first wait, even if the signal has already aborted. */
  readonly isImmediate: boolean;
  readonly clock: Clock;
}

/** Checks at each tick until the condition holds; rejects with the signal's reason when that aborts. */
// Upstream: k8s.io/apimachinery/pkg/util/wait/poll.go, PollUntilContextCancel
export async function pollUntil(
  condition: (signal: AbortSignal) => Promise<boolean> | boolean,
  options: PollOptions,
  signal: AbortSignal,
): Promise<void> {
  const { intervalMs, clock } = options;
  const startedAt = clock.monotonicMs();
  let tick = 0;
  if (options.isImmediate && (await condition(signal))) return;
  for (;;) {
    // One missed tick is made up for at once; further missed ticks are dropped.
    const passed = Math.floor((clock.monotonicMs() - startedAt) / intervalMs);
    if (passed > tick) {
      tick = passed;
      signal.throwIfAborted();
    } else {
      tick++;
      await clock.sleep(startedAt + tick * intervalMs - clock.monotonicMs(), signal);
    }
    if (await condition(signal)) return;
  }
}

/**
 * Checks at once, at each tick until the time is over, and then once more. False when the condition never held. A check
 * that takes long misses ticks.
 */
// Upstream: k8s.io/apimachinery/pkg/util/wait/poll.go, PollImmediate
export async function pollImmediate(
  condition: (signal: AbortSignal) => Promise<boolean> | boolean,
  { intervalMs, timeoutMs, clock }: { intervalMs: number; timeoutMs: number; clock: Clock },
  signal: AbortSignal,
): Promise<boolean> {
  if (await condition(signal)) return true;
  const startedAt = clock.monotonicMs();
  const ticks = Math.floor(timeoutMs / intervalMs);
  for (let tick = 0; tick <= ticks; ) {
    const passedMs = clock.monotonicMs() - startedAt;
    tick = Math.max(tick, Math.floor(passedMs / intervalMs)) + 1;
    if (tick <= ticks) await clock.sleep(tick * intervalMs - passedMs, signal);
    if (await condition(signal)) return true;
  }
  return false;
}

/** False when the signal aborted the pause. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
