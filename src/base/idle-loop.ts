// A periodic loop that costs nothing while idle. It runs its task at the same times as a loop that never rests: new
// work wakes it, and it continues at its next scheduled time.

import type { Clock } from "./clock.ts";
import { pause } from "./wait.ts";

/** Wakes a resting loop. A call while the loop does not rest has no effect. */
export class Wakeup {
  #resting: (() => void) | undefined;

  wake(): void {
    this.#resting?.();
    this.#resting = undefined;
  }

  /** Resolves at the next wake, or when the signal aborts. */
  rest(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      signal.addEventListener("abort", end, { once: true });
      this.#resting = end;
    });
  }
}

export interface IdleLoopOptions {
  readonly periodMs: number;
  readonly clock: Clock;
  /** True if the task has no work until the next wake-up. */
  readonly isIdle: () => boolean;
  readonly wakeup: Wakeup;
}

/** Runs the task at once and then periodMs after each end, until the signal aborts. Rests while the task is idle. */
export async function untilIdle(
  task: (signal: AbortSignal) => Promise<void> | void,
  { periodMs, clock, isIdle, wakeup }: IdleLoopOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await task(signal);
    const endedMs = clock.monotonicMs();
    if (isIdle()) await wakeup.rest(signal);
    const sinceMs = (clock.monotonicMs() - endedMs) % periodMs;
    if (!(await pause(clock, periodMs - sinceMs, signal))) return;
  }
}
