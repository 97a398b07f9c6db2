// Runs work for keys at a later time. Work can be cancelled until then, and each key has at most one piece of work.
// Upstream: pkg/controller/tainteviction/timed_workers.go.

import { whenAborted } from "#base/abort.ts";
import type { Clock, Timer } from "#base/clock.ts";
import { TaskGroup } from "#base/task-group.ts";

/** dueMs: the wall time at which the work was due. The task may throw only on abort. */
export type TimedTask = (key: string, dueMs: number, signal: AbortSignal) => Promise<void>;

export class TimedWork {
  readonly #clock: Clock;
  readonly #task: TimedTask;
  /** Work that was due immediately has no timer. */
  readonly #entries = new Map<string, { readonly timer?: Timer }>();
  #group: TaskGroup | undefined;

  constructor(clock: Clock, task: TimedTask) {
    this.#clock = clock;
    this.#task = task;
  }

  /** Runs the work until the signal aborts, then waits for the work in progress and forgets the rest. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await TaskGroup.run(signal, async (group) => {
        this.#group = group;
        await whenAborted(group.signal);
      });
    } finally {
      this.#group = undefined;
      for (const key of [...this.#entries.keys()]) this.cancel(key);
    }
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Does nothing for a key whose work is waiting or in progress. */
  add(key: string, afterMs: number): void {
    if (this.#entries.has(key)) return;
    const dueMs = this.#clock.now() + Math.max(0, afterMs);
    if (afterMs <= 0) {
      this.#entries.set(key, {});
      this.#start(key, dueMs);
    } else {
      this.#entries.set(key, { timer: this.#clock.after(afterMs, () => this.#start(key, dueMs)) });
    }
  }

  /**
   * Returns whether the key had work with a timer, even if it is in progress. Work in progress continues. The key may
   * be added again.
   */
  cancel(key: string): boolean {
    const timer = this.#entries.get(key)?.timer;
    timer?.[Symbol.dispose]();
    this.#entries.delete(key);
    return timer !== undefined;
  }

  #start(key: string, dueMs: number): void {
    this.#group?.spawn(async (signal) => {
      await this.#task(key, dueMs, signal);
      this.#entries.delete(key);
    });
  }
}
