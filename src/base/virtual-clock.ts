// Virtual time: it advances only when no work is left. It fires one timer, lets all promises settle (one host turn),
// then fires the next. The same program gives the same trace. The turn is passed in, so this file names no host global.
import { assert } from "./assert.ts";
import type { Clock, EpochMs, Timer } from "./clock.ts";
import { deadlineSignal, sleepOn } from "./clock-waits.ts";
import { Heap, type HeapItem } from "./heap.ts";

export interface VirtualClockOptions {
  /** Resolves after the host has run all ready work: one setImmediate. */
  readonly turn: () => Promise<void>;
  /** Wall time at the start. */
  readonly startMs?: EpochMs;
}

/** 2026-01-01T00:00:00Z. */
export const virtualStartMs: EpochMs = Date.UTC(2026, 0, 1);

class VirtualTimer implements Timer, HeapItem {
  heapIndex = -1;
  readonly at: number;
  readonly sequence: number;
  readonly fire: () => void;
  readonly #timers: Heap<VirtualTimer>;

  constructor(timers: Heap<VirtualTimer>, at: number, sequence: number, fire: () => void) {
    this.#timers = timers;
    this.at = at;
    this.sequence = sequence;
    this.fire = fire;
  }

  get isPending(): boolean {
    return this.heapIndex >= 0;
  }

  [Symbol.dispose](): void {
    this.#timers.remove(this);
  }
}

export class VirtualClock implements Clock {
  readonly #turn: () => Promise<void>;
  readonly #timers = new Heap<VirtualTimer>((a, b) => a.at < b.at || (a.at === b.at && a.sequence < b.sequence));
  #wallOffsetMs: number;
  #monotonicMs = 0;
  #sequence = 0;
  #isRunning = false;
  #firedCount = 0;

  constructor(options: VirtualClockOptions) {
    this.#turn = options.turn;
    this.#wallOffsetMs = options.startMs ?? virtualStartMs;
  }

  now(): EpochMs {
    return this.#wallOffsetMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(ms: number, callback: () => void): Timer {
    assert(!Number.isNaN(ms), "a timer needs a number of milliseconds");
    const at = this.#monotonicMs + Math.max(0, ms);
    const timer = new VirtualTimer(this.#timers, at, this.#sequence++, callback);
    this.#timers.push(timer);
    return timer;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  deadline(ms: number, parent: AbortSignal): AbortSignal {
    return deadlineSignal(this, ms, parent);
  }

  get pendingCount(): number {
    return this.#timers.size;
  }

  get firedCount(): number {
    return this.#firedCount;
  }

  /** When the next timer is due, on the monotonic scale. */
  get nextAtMs(): number | undefined {
    return this.#timers.peek()?.at;
  }

  /** Runs forward to this wall time, or until no timer is left. With a ticker the clock is never idle. */
  async run(until: EpochMs | "idle"): Promise<void> {
    const limit = until === "idle" ? Number.MAX_VALUE : until - this.#wallOffsetMs;
    await this.#runWhile(limit, () => true);
    if (until !== "idle" && limit > this.#monotonicMs) this.#monotonicMs = limit;
  }

  /** Runs forward by this much. */
  advance(ms: number): Promise<void> {
    return this.run(this.now() + ms);
  }

  /** Lets all ready work run without advancing time: due timers fire, later ones do not. */
  settle(): Promise<void> {
    return this.run(this.now());
  }

  /** Runs until the condition holds after a turn; returns false after limitMs. */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    await this.#runWhile(this.#monotonicMs + limitMs, () => !isDone());
    return isDone();
  }

  /** Simulates a stopped process: time passes and no timer fires. Due timers fire late. */
  stall(ms: number): void {
    assert(ms >= 0, "time does not go backwards");
    this.#monotonicMs += ms;
  }

  /** Simulates a change of the wall clock. Timers and monotonic time are not affected. */
  stepWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  async #runWhile(limit: number, goesOn: () => boolean): Promise<void> {
    assert(!this.#isRunning, "the virtual clock is already running");
    this.#isRunning = true;
    try {
      for (;;) {
        await this.#turn();
        if (!goesOn()) return;
        const next = this.#timers.peek();
        if (next === undefined || next.at > limit) return;
        this.#timers.remove(next);
        if (next.at > this.#monotonicMs) this.#monotonicMs = next.at;
        this.#firedCount++;
        next.fire();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
