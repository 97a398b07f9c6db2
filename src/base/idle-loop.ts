// A periodic loop that costs nothing while there is nothing to do. It runs its task at the same times as a loop that
// never rests: new work wakes it, and it goes on at the next of its times.

import type { Clock } from "./clock.ts";
import { pause } from "./wait.ts";

/** Brings a resting loop back. A call while the loop does not rest does nothing. */
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
  /** Nothing will be done before the wake-up. */
  readonly isIdle: () => boolean;
  readonly wakeup: Wakeup;
}

/** Runs the task at once and then every periodMs after it ended, but rests while it is idle, until the signal aborts. */
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
