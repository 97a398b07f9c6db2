// A clock that runs a number of times faster than another clock and never skips a timer. Timers fire one after the
// other, as on the virtual clock. While the machine cannot keep up, or stood still, this clock runs slower instead of
// jumping over due timers. Heartbeats and leases therefore hold at any speed.

import { assert } from "./assert.ts";
import type { Clock, EpochMs, Timer } from "./clock.ts";
import { deadlineSignal, sleepOn } from "./clock-waits.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A lag beyond this much of the other clock's time is dropped. */
const LAG_MS_MAX = 100;

export interface PacedClockOptions {
  readonly pace: Clock;
  readonly speed: number;
  /** Resolves after the host has run all that is ready to run: one setImmediate. */
  readonly turn: () => Promise<void>;
}

export class PacedClock implements Clock {
  readonly #pace: Clock;
  readonly #speed: number;
  readonly #inner: VirtualClock;
  /** The readings of both clocks when they last agreed. */
  #origin: { readonly paceMs: number; readonly ms: number };
  #isRunning = false;
  #alarm: Timer | undefined;
  #alarmAtMs = Number.POSITIVE_INFINITY;

  constructor({ pace, speed, turn }: PacedClockOptions) {
    assert(speed > 0, "time goes forward");
    this.#pace = pace;
    this.#speed = speed;
    this.#inner = new VirtualClock({ turn, startMs: pace.now() });
    this.#origin = { paceMs: pace.monotonicMs(), ms: 0 };
  }

  now(): EpochMs {
    this.#follow();
    return this.#inner.now();
  }

  monotonicMs(): number {
    this.#follow();
    return this.#inner.monotonicMs();
  }

  after(ms: number, callback: () => void): Timer {
    this.#follow();
    const timer = this.#inner.after(ms, callback);
    this.#setAlarm();
    return timer;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  deadline(ms: number, parent: AbortSignal): AbortSignal {
    return deadlineSignal(this, ms, parent);
  }

  get #targetMs(): number {
    return this.#origin.ms + (this.#pace.monotonicMs() - this.#origin.paceMs) * this.#speed;
  }

  /** Between two timers time advances; it stops at a due timer. */
  #follow(): void {
    if (this.#isRunning) return; // the time is that of the timer that fires
    const atMs = Math.min(this.#targetMs, this.#inner.nextAtMs ?? Number.POSITIVE_INFINITY);
    const passedMs = atMs - this.#inner.monotonicMs();
    if (passedMs > 0) this.#inner.stall(passedMs);
  }

  #setAlarm(): void {
    const atMs = this.#inner.nextAtMs;
    if (this.#isRunning || atMs === undefined || atMs >= this.#alarmAtMs) return;
    this.#alarm?.[Symbol.dispose]();
    this.#alarmAtMs = atMs;
    this.#alarm = this.#pace.after((atMs - this.#targetMs) / this.#speed, () => void this.#fireDue());
  }

  async #fireDue(): Promise<void> {
    this.#alarm = undefined;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    this.#isRunning = true;
    try {
      const startMs = this.#inner.monotonicMs();
      const limitMs = startMs + LAG_MS_MAX * this.#speed;
      if (this.#targetMs > limitMs) this.#origin = { paceMs: this.#pace.monotonicMs(), ms: limitMs };
      await this.#inner.advance(Math.max(0, this.#targetMs - startMs));
    } finally {
      this.#isRunning = false;
      this.#setAlarm();
    }
  }
}
