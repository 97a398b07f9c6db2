// Exponential backoff per key, reset after a quiet time.
// Upstream: k8s.io/client-go/util/flowcontrol/backoff.go
import type { Clock, EpochMs } from "./clock.ts";

export interface ItemBackoffOptions {
  readonly clock: Clock;
  readonly initialMs: number;
  readonly maxMs: number;
}

export class ItemBackoff {
  readonly #options: ItemBackoffOptions;
  readonly #entries = new Map<string, { backoffMs: number; updatedAt: EpochMs }>();

  constructor(options: ItemBackoffOptions) {
    this.#options = options;
  }

  /** The current delay of the key, 0 when it has none. */
  get(key: string): number {
    return this.#entries.get(key)?.backoffMs ?? 0;
  }

  /** Doubles the key's delay up to the maximum; starts over when the last one is long past at eventTime. */
  next(key: string, eventTime: EpochMs): void {
    const { clock, initialMs, maxMs } = this.#options;
    const entry = this.#entries.get(key);
    const isFresh = entry === undefined || this.#isExpired(eventTime, entry.updatedAt);
    const backoffMs = isFresh ? initialMs : Math.min(entry.backoffMs * 2, maxMs);
    this.#entries.set(key, { backoffMs, updatedAt: clock.now() });
  }

  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** True if less time than the key's delay has passed since eventTime. */
  isInBackoffSince(key: string, eventTime: EpochMs): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#isExpired(eventTime, entry.updatedAt)) return false;
    return this.#options.clock.now() - eventTime < entry.backoffMs;
  }

  /** True if the key's delay was set less than that delay before eventTime. */
  isInBackoffSinceUpdate(key: string, eventTime: EpochMs): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#isExpired(eventTime, entry.updatedAt)) return false;
    return eventTime - entry.updatedAt < entry.backoffMs;
  }

  /** Drops keys that were quiet for twice the maximum. Callers run it from time to time. */
  collectGarbage(): void {
    const now = this.#options.clock.now();
    for (const [key, entry] of this.#entries) if (this.#isExpired(now, entry.updatedAt)) this.#entries.delete(key);
  }

  #isExpired(eventTime: EpochMs, updatedAt: EpochMs): boolean {
    return eventTime - updatedAt > this.#options.maxMs * 2;
  }
}
