// Requests reviews from the API server (TokenReview, SubjectAccessReview), retries transient failures, and caches the
// answers for a time.
// Upstream: apiserver/pkg/util/webhook/webhook.go, WithExponentialBackoff, DefaultShouldRetry.

import type { KubeObject } from "#api/object.ts";
import type { Draft, Resource } from "#api/resource.ts";
import { asApiError, isInternalError, isTimeout, isTooManyRequests, suggestsClientDelay } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { TransportError } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import type { ReviewMetrics } from "./auth-metrics.ts";

const TRIES_MAX = 5;
const FIRST_DELAY_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;

export interface ReviewDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  /** A digest, so that caches do not hold tokens. */
  readonly digest: (text: string) => string;
}

/** Creates the review and returns the answer. */
export async function askReview<T extends KubeObject>(
  deps: ReviewDeps,
  metrics: ReviewMetrics,
  resource: Resource<T>,
  object: Draft<T>,
  signal: AbortSignal,
): Promise<T> {
  const { clock, rng, client } = deps;
  for (let tries = 1, delayMs = FIRST_DELAY_MS; ; tries++, delayMs *= FACTOR) {
    const beganMs = clock.monotonicMs();
    const note = (code: string): void => {
      metrics.requests.inc([code]);
      metrics.durationSeconds.observe((clock.monotonicMs() - beganMs) / 1000, [code]);
    };
    try {
      const answer = await client.resource(resource).create({ object }, signal);
      note("201");
      return answer;
    } catch (error) {
      note(String(asApiError(error)?.status.code ?? "<error>"));
      if (tries >= TRIES_MAX || signal.aborted || !mayPass(error)) throw error;
    }
    await clock.sleep(delayMs * (1 + JITTER * rng.float()), signal);
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure === "reset";
  if (isInternalError(error) || isTimeout(error) || isTooManyRequests(error)) return true;
  return suggestsClientDelay(error) !== undefined;
}

/** Values with an expiry time. The oldest are dropped when there are too many. */
export class ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #sizeMax: number;
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>();

  constructor(clock: Clock, sizeMax: number) {
    this.#clock = clock;
    this.#sizeMax = sizeMax;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.untilMs > this.#clock.monotonicMs()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: this.#clock.monotonicMs() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#sizeMax && oldest !== undefined) this.#entries.delete(oldest);
  }
}
