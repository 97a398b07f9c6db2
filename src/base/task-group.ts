// Structured concurrency: work is spawned only through a group, and the group's run returns after every child has
// ended. The first failure cancels the other children.
import { childScope, type Scope } from "./abort.ts";
import { assert } from "./assert.ts";
import { Aborted, errorMessage, isAborted } from "./errors.ts";

export class TaskGroup {
  readonly #scope: Scope;
  readonly #failures: { index: number; error: unknown }[] = [];
  #spawnedCount = 0;
  #liveCount = 0;
  #hasEnded = false;
  #onIdle: (() => void) | undefined;

  private constructor(parent: AbortSignal) {
    this.#scope = childScope(parent);
  }

  /**
   * Runs body, itself the first child, with a group to spawn into, and waits for all children.
   * Rejects with the failure, or an AggregateError of the failures in spawn order whose cause is the
   * earliest. A child that ends because the group was aborted has not failed.
   */
  static async run<T>(parent: AbortSignal, body: (group: TaskGroup) => Promise<T> | T): Promise<T> {
    const group = new TaskGroup(parent);
    let result: { value: T } | undefined;
    let aborted: unknown;
    group.spawn(async () => {
      try {
        result = { value: await body(group) };
      } catch (error) {
        if (!group.#isEcho(error)) throw error;
        aborted = error;
      }
    });
    while (group.#liveCount > 0) await new Promise<void>((resolve) => (group.#onIdle = resolve));
    group.#hasEnded = true;
    group.#scope[Symbol.dispose]();
    group.#throwFailures();
    if (result === undefined) throw aborted;
    return result.value;
  }

  /** Runs these tasks and waits for all of them. */
  static all(parent: AbortSignal, tasks: readonly ((signal: AbortSignal) => Promise<unknown>)[]): Promise<void> {
    return TaskGroup.run(parent, (group) => {
      for (const task of tasks) group.spawn(task);
    });
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get size(): number {
    return this.#liveCount;
  }

  /** Starts a child at once. Calling it after the group ended is a programming error. */
  spawn(task: (signal: AbortSignal) => Promise<unknown>): void {
    assert(!this.#hasEnded, "spawn into a task group that has ended");
    const index = this.#spawnedCount++;
    this.#liveCount++;
    void this.#runChild(index, task);
  }

  /** Asks every child to end. */
  cancel(reason: unknown = new Aborted("task group cancelled")): void {
    this.#scope.abort(reason);
  }

  async #runChild(index: number, task: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    try {
      await task(this.#scope.signal);
    } catch (error) {
      if (!this.#isEcho(error)) {
        this.#failures.push({ index, error });
        this.#scope.abort(new Aborted(`another task failed: ${errorMessage(error)}`));
      }
    }
    if (--this.#liveCount === 0) this.#onIdle?.();
  }

  /** True if this error is only the group's own abort. */
  #isEcho(error: unknown): boolean {
    const signal = this.#scope.signal;
    return signal.aborted && isAborted(error, signal);
  }

  #throwFailures(): void {
    const [first, ...others] = this.#failures;
    if (first === undefined) return;
    if (others.length === 0) throw first.error;
    const ordered = this.#failures.toSorted((a, b) => a.index - b.index).map((failure) => failure.error);
    throw new AggregateError(ordered, ordered.map(errorMessage).join("; "), { cause: first.error });
  }
}
