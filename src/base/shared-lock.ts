// A lock that many callers hold together or one caller holds alone. Upstream: Go's sync.RWMutex.

export class SharedLock {
  #holders = 0;
  /** Resolves when the caller that holds the lock alone, or waits for it, has released it. */
  #alone: Promise<void> | undefined;
  #whenFree: (() => void) | undefined;

  /** Runs the task together with other shared tasks. A caller that waits to be alone goes first. */
  async together<T>(task: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await this.#alone;
    this.#holders++;
    try {
      return await task();
    } finally {
      this.#holders--;
      if (this.#holders === 0) this.#whenFree?.();
    }
  }

  async alone<T>(task: () => Promise<T>): Promise<T> {
    while (this.#alone !== undefined) await this.#alone;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alone = promise;
    try {
      if (this.#holders > 0) {
        await new Promise<void>((free) => {
          this.#whenFree = free;
        });
      }
      return await task();
    } finally {
      this.#whenFree = undefined;
      this.#alone = undefined;
      resolve();
    }
  }
}
