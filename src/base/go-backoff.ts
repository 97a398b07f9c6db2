// Backoff as Go's wait package computes it, and retries on top of it.
// Upstream: k8s.io/apimachinery/pkg/util/wait/backoff.go, k8s.io/client-go/util/retry/util.go
import type { Clock } from "./clock.ts";
import type { Rng } from "./rng.ts";

export interface Backoff {
  readonly durationMs: number;
  /** Multiplies the duration at each step; 0 or absent: no change. */
  readonly factor?: number;
  /** Each delay is drawn from [d, d + jitter·d). */
  readonly jitter?: number;
  /** The number of times that the duration may change; for retries, the number of tries. */
  readonly steps?: number;
  /** A duration above the cap becomes the cap and stays there. */
  readonly capMs?: number;
}

export interface BackoffDeps {
  readonly clock: Clock;
  readonly rng: Rng;
}

/** For conflicts between several clients that change one object. */
export const defaultRetry: Backoff = { steps: 5, durationMs: 10, factor: 1, jitter: 0.1 };

/** For conflicts on an object that other clients manage actively. */
export const defaultBackoff: Backoff = { steps: 4, durationMs: 10, factor: 5, jitter: 0.1 };

/** ms plus up to maxFactor·ms; a factor that is not positive counts as 1. */
export function jitterMs(ms: number, maxFactor: number, rng: Rng): number {
  return ms + rng.float() * (maxFactor <= 0 ? 1 : maxFactor) * ms;
}

/** One run through a Backoff. */
export class BackoffSequence {
  readonly #backoff: Backoff;
  readonly #rng: Rng;
  #durationMs: number;
  #stepsLeft: number;

  constructor(backoff: Backoff, rng: Rng) {
    this.#backoff = backoff;
    this.#rng = rng;
    this.#durationMs = backoff.durationMs;
    this.#stepsLeft = backoff.steps ?? 0;
  }

  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  /** The next delay. When no steps are left, it repeats the last duration. */
  nextMs(): number {
    const { factor = 0, jitter = 0, capMs = 0 } = this.#backoff;
    const current = this.#durationMs;
    if (this.#stepsLeft >= 1) {
      this.#stepsLeft--;
      if (factor !== 0) {
        this.#durationMs = current * factor;
        if (capMs > 0 && this.#durationMs > capMs) {
          this.#durationMs = capMs;
          this.#stepsLeft = 0;
        }
      }
    }
    return jitter > 0 ? jitterMs(current, jitter, this.#rng) : current;
  }
}

/**
 * Delays that start over once more than resetMs have passed since the last start: not since the last
 * use, so under a permanent outage they start over about every resetMs.
 */
// Upstream: k8s.io/apimachinery/pkg/util/wait/backoff.go, DelayWithReset
export function delaysWithReset(backoff: Backoff, resetMs: number, deps: BackoffDeps): () => number {
  if ((backoff.factor ?? 0) <= 0 || resetMs <= 0) {
    const constant = new BackoffSequence({ ...backoff, steps: 0, factor: 0 }, deps.rng);
    return () => constant.nextMs();
  }
  let sequence = new BackoffSequence(backoff, deps.rng);
  let startedAt = deps.clock.monotonicMs();
  return () => {
    const now = deps.clock.monotonicMs();
    if (now - startedAt > resetMs) {
      sequence = new BackoffSequence(backoff, deps.rng);
      startedAt = now;
    }
    return sequence.nextMs();
  };
}

/** Checks up to backoff.steps times, with waits in between; false when every check failed. */
// Upstream: k8s.io/apimachinery/pkg/util/wait/backoff.go, ExponentialBackoffWithContext
export async function exponentialBackoff(
  backoff: Backoff,
  check: () => Promise<boolean> | boolean,
  deps: BackoffDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const sequence = new BackoffSequence(backoff, deps.rng);
  while (sequence.stepsLeft > 0) {
    signal.throwIfAborted();
    if (await check()) return true;
    if (sequence.stepsLeft === 1) break;
    await deps.clock.sleep(sequence.nextMs(), signal);
  }
  return false;
}

/**
 * Calls fn until it succeeds, fails with an error that is not retriable, or the steps are used up. Then throws the last
 * error.
 */
// Upstream: k8s.io/client-go/util/retry/util.go, OnError
export async function retryOnError<T>(
  backoff: Backoff,
  isRetriable: (error: unknown) => boolean,
  fn: () => Promise<T>,
  deps: BackoffDeps,
  signal: AbortSignal,
): Promise<T> {
  let result: { value: T } | undefined;
  let last: unknown = new RangeError("a retry needs at least one step");
  const attempt = async (): Promise<boolean> => {
    try {
      result = { value: await fn() };
      return true;
    } catch (error) {
      if (!isRetriable(error)) throw error;
      last = error;
      return false;
    }
  };
  await exponentialBackoff(backoff, attempt, deps, signal);
  if (result === undefined) throw last;
  return result.value;
}
