// The host's time behind the Clock interface.
import { performance } from "node:perf_hooks";
import type { Clock, EpochMs, Timer } from "#base/clock.ts";
import { deadlineSignal, sleepOn } from "#base/clock-waits.ts";

/** The longest delay of a host timer; a longer one would fire at once. */
const hostTimerMsMax = 2 ** 31 - 1;

class HostTimer implements Timer {
  #handle: NodeJS.Timeout | undefined;
  #leftMs: number;
  readonly #callback: () => void;
  readonly #keepsProcess: boolean;
  isPending = true;

  constructor(ms: number, callback: () => void, keepsProcess: boolean) {
    this.#callback = callback;
    this.#keepsProcess = keepsProcess;
    // Hosts truncate fractions; rounding up never fires early.
    this.#leftMs = Math.max(0, Math.ceil(ms));
    this.#start();
  }

  [Symbol.dispose](): void {
    this.isPending = false;
    clearTimeout(this.#handle);
  }

  #start(): void {
    const ms = Math.min(this.#leftMs, hostTimerMsMax);
    this.#leftMs -= ms;
    this.#handle = setTimeout(() => {
      if (this.#leftMs > 0) {
        this.#start();
        return;
      }
      this.isPending = false;
      this.#callback();
    }, ms);
    if (!this.#keepsProcess) this.#handle.unref();
  }
}

class SystemClock implements Clock {
  #originMs = performance.timeOrigin;

  /** The host's wall clock, refined to microseconds by the monotonic one as long as the two agree. */
  now(): EpochMs {
    const wall = Date.now();
    const refined = this.#originMs + performance.now();
    if (refined >= wall && refined < wall + 1) return refined;
    this.#originMs += wall - refined;
    return wall;
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(ms: number, callback: () => void): Timer {
    return new HostTimer(ms, callback, true);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** A pending deadline does not keep the process alive. */
  deadline(ms: number, parent: AbortSignal): AbortSignal {
    return deadlineSignal(backgroundTimers, ms, parent);
  }
}

/** Timers that do not keep the process alive. */
export const backgroundTimers: Pick<Clock, "monotonicMs" | "after"> = {
  monotonicMs: () => performance.now(),
  after: (ms, callback) => new HostTimer(ms, callback, false),
};

export const systemClock: Clock = new SystemClock();

/** One turn of the event loop, for a virtual clock in this process. */
export function systemTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
