// A lock that many hold together or one holds alone. Upstream: Go's sync.RWMutex.

export class SharedLock {
  #holders = 0;
  /** Resolves when the one that holds the lock alone, or waits to, has let it go. */
  #alone: Promise<void> | undefined;
  #whenFree: (() => void) | undefined;

  /** Runs the task together with others of its kind. One that waits to be alone goes first. */
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
