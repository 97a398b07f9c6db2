// Drives the virtual clock of a cluster under test: on demand for `advance`, and as far as needed during a client's
// call. Most calls end without advancing the time; a call that waits, for example for a retry, ends because time
// advances.

import type { VirtualClock } from "#base/virtual-clock.ts";

/** Longer than any call that will end. */
const CALL_MS_MAX = 120_000;

export class VirtualDrive {
  readonly #clock: VirtualClock;
  readonly #calls = new Set<Promise<unknown>>();
  /** The run in progress; a clock cannot run twice at the same time. */
  #running: Promise<void> | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Several calls may be in progress at the same time. */
  async during<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    const forget = (): void => void this.#calls.delete(call);
    call.then(forget, forget);
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(CALL_MS_MAX, () => {
      late.reject(new Error("the call did not end within two minutes of the cluster's time"));
    });
    try {
      this.#runForCalls();
      return await Promise.race([call, late.promise]);
    } finally {
      forget();
      timer[Symbol.dispose]();
    }
  }

  async advance(ms: number): Promise<void> {
    await this.#run(() => this.#clock.advance(ms));
  }

  /** Runs until the condition holds; false when the limit comes first. */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    let outcome = false;
    await this.#run(async () => {
      outcome = await this.#clock.runUntil(isDone, limitMs);
    });
    return outcome;
  }

  /** Runs tasks one after the other, in the order of the calls. */
  async #run(task: () => Promise<void>): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    const ended = Promise.withResolvers<void>();
    this.#running = ended.promise;
    try {
      await task();
    } finally {
      this.#running = undefined;
      ended.resolve();
      this.#runForCalls();
    }
  }

  #runForCalls(): void {
    if (this.#calls.size === 0 || this.#running !== undefined) return;
    void this.#run(async () => void (await this.#clock.runUntil(() => this.#calls.size === 0, CALL_MS_MAX)));
  }
}
