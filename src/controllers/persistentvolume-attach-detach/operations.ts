// The running attaches and detaches. An operation on an exclusive volume locks it in the whole cluster, an operation on
// another volume only on its node; operations with matching keys never run at the same time. After a failure the key
// backs off from this operation, twice as long each time. The other operation may start at once, with a new back-off.
// Upstream: pkg/volume/util/nestedpendingoperations; pkg/util/goroutinemap/exponentialbackoff.

import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";

const INITIAL_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 122_000;

export type OperationName = "volume_attach" | "volume_detach";

export interface OperationKey {
  readonly volume: string;
  /** Absent: all nodes. */
  readonly node?: string | undefined;
}

interface Operation {
  key: OperationKey;
  name: OperationName;
  isRunning: boolean;
  failedAt: number;
  backoffMs: number;
}

export class Operations {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #operations = new Set<Operation>();
  #group: TaskGroup | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs until the signal aborts, then aborts the operations and waits for them. */
  async run(signal: AbortSignal): Promise<void> {
    await TaskGroup.run(signal, async (group) => {
      this.#group = group;
      await new Promise<void>((resolve) => group.signal.addEventListener("abort", () => resolve(), { once: true }));
    });
  }

  isRunning(key: OperationKey): boolean {
    return this.#find(key)?.isRunning ?? false;
  }

  /** True if no operation on the key runs or backs off from this operation. */
  mayStart(key: OperationKey, name: OperationName): boolean {
    const known = this.#find(key);
    if (known === undefined) return true;
    return !known.isRunning && (known.name !== name || !this.#backsOff(known));
  }

  /** Starts the operation, unless one on the key runs or backs off. Returns whether it started. */
  start(key: OperationKey, name: OperationName, operation: (signal: AbortSignal) => Promise<void>): boolean {
    if (!this.mayStart(key, name) || this.#group === undefined || this.#group.signal.aborted) return false;
    const known = this.#find(key);
    const entry = known ?? { key, name, isRunning: true, failedAt: 0, backoffMs: 0 };
    if (known !== undefined && this.#backsOff(known)) Object.assign(known, { name, failedAt: 0, backoffMs: 0 });
    entry.key = key;
    entry.isRunning = true;
    this.#operations.add(entry);
    this.#group.spawn((signal) => this.#perform(entry, operation, signal));
    return true;
  }

  /** Runs a task beside the operations, for as long as they run. */
  spawn(task: (signal: AbortSignal) => Promise<void>): void {
    if (this.#group !== undefined && !this.#group.signal.aborted) this.#group.spawn(task);
  }

  #backsOff({ failedAt, backoffMs }: Operation): boolean {
    return backoffMs > 0 && this.#clock.monotonicMs() - failedAt <= backoffMs;
  }

  /** The running one, else the one with exactly this key, else the first that matches. */
  #find(key: OperationKey): Operation | undefined {
    let found: Operation | undefined;
    for (const known of this.#operations) {
      if (!matches(known.key, key)) continue;
      if (known.isRunning) return known;
      if (found === undefined || known.key.node === key.node) found = known;
    }
    return found;
  }

  async #perform(
    entry: Operation,
    operation: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await operation(signal);
      this.#operations.delete(entry);
    } catch (error) {
      if (signal.aborted) throw error;
      entry.isRunning = false;
      entry.failedAt = this.#clock.monotonicMs();
      entry.backoffMs = Math.min(entry.backoffMs * 2 || INITIAL_BACKOFF_MS, BACKOFF_MAX_MS);
      const { volume, node } = entry.key;
      this.#log.error(error, "Operation failed", { volume, node, durationBeforeRetryMs: entry.backoffMs });
    }
  }
}

function matches(a: OperationKey, b: OperationKey): boolean {
  return a.volume === b.volume && (a.node === undefined || b.node === undefined || a.node === b.node);
}
