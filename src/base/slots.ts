// A limit on how many may do something at a time. Who has to wait is served first come, first served.

export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Undefined when there is room at once. Rejects with the signal's reason, and takes nothing, when it aborts first. */
  take(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      const go = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(go);
    });
  }

  /** Ends what one take() began. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
