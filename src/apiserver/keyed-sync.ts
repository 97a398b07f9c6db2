// Background work of the server on named objects. A key is queued once, is never processed twice at the same time, and
// is retried after a failure. Upstream: client-go, DefaultTypedControllerRateLimiter

import type { Timer } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { ServerCore } from "./core.ts";

const FIRST_RETRY_MS = 5;
const RETRY_MS_MAX = 1_000_000;

export interface KeyedSyncOptions {
  /** The log message when a sync throws. */
  readonly failure: string;
  readonly retryMsMax?: number;
  /** Several keys may be processed at the same time; otherwise one after the other. */
  readonly isParallel?: boolean;
  sync(key: string): Promise<void>;
}

export class KeyedSync {
  readonly #core: Pick<ServerCore, "clock" | "closing" | "log">;
  readonly #options: KeyedSyncOptions;
  readonly #pending = new Set<string>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();

  constructor(core: Pick<ServerCore, "clock" | "closing" | "log">, options: KeyedSyncOptions) {
    this.#core = core;
    this.#options = options;
    core.closing.addEventListener("abort", () => this.stop(), { once: true });
  }

  add(key: string): void {
    this.#pending.add(key);
    this.#start();
  }

  /** The last requested time wins. */
  addAfter(key: string, delayMs: number): void {
    this.#timers.get(key)?.[Symbol.dispose]();
    const timer = this.#core.clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, timer);
  }

  /** Adds the key with a delay that grows with each call, until the key is forgotten. */
  addLater(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, retryDelayMs(failures, this.#options.retryMsMax));
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  stop(): void {
    this.#pending.clear();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #start(): void {
    if (this.#core.closing.aborted) return;
    for (const key of this.#pending) {
      if (this.#running.size > 0 && !this.#options.isParallel) return;
      if (this.#running.has(key)) continue;
      this.#pending.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    // The write that triggered the sync is answered first.
    await Promise.resolve();
    const { closing, log } = this.#core;
    try {
      if (!closing.aborted) await this.#options.sync(key);
    } catch (error) {
      if (!isAborted(error, closing)) {
        log.error(error, this.#options.failure, { name: key });
        this.addLater(key);
      }
    }
    this.#running.delete(key);
    this.#start();
  }
}

export const retryDelayMs = (failures: number, max: number = RETRY_MS_MAX): number =>
  Math.min(FIRST_RETRY_MS * 2 ** failures, max);
