// Operations on volumes that run beside the workers, at most one per name at a time. After a failure the name is
// refused for a delay, which doubles with each failure.
// Upstream: pkg/util/goroutinemap with exponential back-off.

import { whenAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";

const INITIAL_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 122_000;

interface Operation {
  isRunning: boolean;
  failedAt: number;
  backoffMs: number;
}

export class PendingOperations {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #operations = new Map<string, Operation>();
  #group: TaskGroup | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs until the signal aborts, then aborts the operations and waits for them. */
  async run(signal: AbortSignal): Promise<void> {
    await TaskGroup.run(signal, async (group) => {
      this.#group = group;
      await whenAborted(group.signal);
    });
  }

  /** Starts the operation, unless one of this name runs or is backing off. Returns whether it started. */
  start(name: string, operation: (signal: AbortSignal) => Promise<void>): boolean {
    const known = this.#operations.get(name);
    if (this.#group === undefined || this.#group.signal.aborted || (known !== undefined && !this.#mayStart(known))) {
      this.#log.v(4).info("Operation is already running or postponed, skipping", { operationName: name });
      return false;
    }
    const entry = known ?? { isRunning: true, failedAt: 0, backoffMs: 0 };
    entry.isRunning = true;
    this.#operations.set(name, entry);
    this.#group.spawn((signal) => this.#perform(name, entry, operation, signal));
    return true;
  }

  #mayStart({ isRunning, failedAt, backoffMs }: Operation): boolean {
    return !isRunning && this.#clock.monotonicMs() - failedAt > backoffMs;
  }

  async #perform(
    name: string,
    entry: Operation,
    operation: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await operation(signal);
      this.#operations.delete(name);
    } catch (error) {
      if (signal.aborted) return;
      entry.isRunning = false;
      entry.failedAt = this.#clock.monotonicMs();
      entry.backoffMs = Math.min(entry.backoffMs * 2 || INITIAL_BACKOFF_MS, BACKOFF_MAX_MS);
      this.#log.error(error, "Operation failed", { operationName: name, durationBeforeRetryMs: entry.backoffMs });
    }
  }
}
