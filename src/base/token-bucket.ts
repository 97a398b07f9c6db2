// A token bucket like golang.org/x/time/rate: it starts full, refills continuously, and reserves future tokens for
// waiting callers. Times are whole nanoseconds, as in Go.
// Upstream: golang.org/x/time/rate/rate.go, Limiter
import type { Clock } from "./clock.ts";
import { deadlineOf } from "./clock-waits.ts";

/** The bucket cannot serve the request: it is larger than the burst, or its turn would come too late. */
export class RateLimitError extends Error {
  override readonly name = "RateLimitError";
}

export interface Reservation {
  /** False: the request exceeds the bucket's size; nothing was taken. */
  readonly isOk: boolean;
  /** How long to wait, counted from now; infinite when not ok. */
  delayMs(): number;
  /** Gives the tokens back, as far as later reservations allow. */
  cancel(): void;
}

export interface TokenBucketLimits {
  /** Infinity: no limit. 0: no tokens after the first burst. */
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  #perSecond: number;
  #burst: number;
  #tokens: number;
  #updatedAt: number;
  #lastEventAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, { perSecond, burst }: TokenBucketLimits) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#updatedAt = clock.monotonicMs();
  }

  /** Takes tokens if they are available now. */
  tryTake(count = 1): boolean {
    return this.#reserve(count, 0) !== undefined;
  }

  /** Reserves future tokens. */
  reserve(count = 1): Reservation {
    const actAt = this.#reserve(count, Number.POSITIVE_INFINITY);
    if (actAt === undefined) {
      return { isOk: false, delayMs: () => Number.POSITIVE_INFINITY, cancel: () => undefined };
    }
    const perSecond = this.#perSecond;
    return {
      isOk: true,
      delayMs: () => Math.max(0, actAt - this.#clock.monotonicMs()),
      cancel: () => this.#giveBack(count, actAt, perSecond),
    };
  }

  /** Waits for tokens. Fails at once when the signal's deadline would come first; an abort gives them back. */
  async wait(signal: AbortSignal, count = 1): Promise<void> {
    if (count > this.#burst && this.#perSecond !== Number.POSITIVE_INFINITY) {
      throw new RateLimitError(`rate: Wait(n=${count}) exceeds limiter's burst ${this.#burst}`);
    }
    signal.throwIfAborted();
    const now = this.#clock.monotonicMs();
    const perSecond = this.#perSecond;
    const actAt = this.#reserve(count, (deadlineOf(signal) ?? Number.POSITIVE_INFINITY) - now);
    if (actAt === undefined) throw new RateLimitError(`rate: Wait(n=${count}) would exceed context deadline`);
    if (actAt <= now) return;
    try {
      await this.#clock.sleep(actAt - now, signal);
    } catch (error) {
      this.#giveBack(count, actAt, perSecond);
      throw error;
    }
  }

  /** The available tokens; below 0 when future tokens are reserved. */
  get tokens(): number {
    return this.#tokensAt(this.#clock.monotonicMs());
  }

  setLimits({ perSecond, burst }: TokenBucketLimits): void {
    const now = this.#clock.monotonicMs();
    this.#tokens = this.#tokensAt(now);
    this.#updatedAt = now;
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** The time at which the tokens may be used, or undefined when the wait would be too long. */
  #reserve(count: number, maxWaitMs: number): number | undefined {
    const now = this.#clock.monotonicMs();
    if (this.#perSecond === Number.POSITIVE_INFINITY) return now;
    const tokens = this.#tokensAt(now) - count;
    const waitMs = tokens < 0 ? msForTokens(-tokens, this.#perSecond) : 0;
    if (count > this.#burst || waitMs > maxWaitMs) return undefined;
    this.#updatedAt = now;
    this.#tokens = tokens;
    this.#lastEventAt = now + waitMs;
    return this.#lastEventAt;
  }

  #giveBack(count: number, actAt: number, perSecond: number): void {
    const now = this.#clock.monotonicMs();
    if (this.#perSecond === Number.POSITIVE_INFINITY || count === 0 || actAt < now) return;
    // Tokens reserved after these depend on them and are not restored.
    const restored = count - ((this.#lastEventAt - actAt) / 1000) * perSecond;
    if (restored <= 0) return;
    this.#tokens = Math.min(this.#burst, this.#tokensAt(now) + restored);
    this.#updatedAt = now;
    if (actAt === this.#lastEventAt) {
      const previous = actAt - msForTokens(count, perSecond);
      if (previous >= now) this.#lastEventAt = previous;
    }
  }

  #tokensAt(now: number): number {
    const refill = this.#perSecond <= 0 ? 0 : (Math.max(0, now - this.#updatedAt) / 1000) * this.#perSecond;
    return Math.min(this.#burst, this.#tokens + refill);
  }
}

function msForTokens(tokens: number, perSecond: number): number {
  return perSecond <= 0 ? Number.POSITIVE_INFINITY : Math.trunc((tokens / perSecond) * 1e9) / 1e6;
}
