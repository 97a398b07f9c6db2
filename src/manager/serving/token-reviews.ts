// Authenticates bearer tokens through the API server. Accepted and refused tokens are cached; errors are not.
// Upstream: apiserver/plugin/pkg/authenticator/token/webhook; authentication/token/cache.

import { TokenReviews as TokenReviewResource } from "#api/generated/resources/authentication-v1.ts";
import type { TokenReview } from "#api/generated/types/authentication-v1.ts";
import { deadlineScope } from "#base/abort.ts";
import type { AuthMetrics } from "./auth-metrics.ts";
import type { User } from "./request.ts";
import { askReview, ExpiringCache, type ReviewDeps } from "./review-call.ts";

const CACHED_TOKENS_MAX = 32 * 1024;
/** The limit for all tries together. */
const TIMEOUT_MS = 10_000;

/** The API server refused the token. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

export class TokenReviews {
  readonly #deps: ReviewDeps;
  readonly #metrics: AuthMetrics;
  readonly #ttlMs: number;
  readonly #cache: ExpiringCache<User | "refused">;
  readonly #underWay = new Map<string, Promise<User | "refused">>();

  constructor(deps: ReviewDeps, metrics: AuthMetrics, ttlMs: number) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#ttlMs = ttlMs;
    this.#cache = new ExpiringCache(deps.clock, CACHED_TOKENS_MAX);
  }

  /** Throws TokenRefused, or the error that kept the API server from answering. */
  async userOf(token: string): Promise<User> {
    const { clock, digest } = this.#deps;
    const { tokenCache } = this.#metrics;
    const beganMs = clock.monotonicMs();
    const key = digest(token);
    let user = this.#cache.get(key);
    const status = user === undefined ? "miss" : "hit";
    try {
      user ??= await this.#fetchOnce(key, token);
    } finally {
      tokenCache.requests.inc([status]);
      tokenCache.requestSeconds.observe(Math.trunc(clock.monotonicMs() - beganMs) / 1000, [status]);
    }
    if (user === "refused") throw new TokenRefused("invalid bearer token");
    return user;
  }

  /** Callers with the same token share one review. It continues when the first caller leaves. */
  async #fetchOnce(key: string, token: string): Promise<User | "refused"> {
    const { activeFetches } = this.#metrics.tokenCache;
    activeFetches.add(1, ["blocked"]);
    try {
      let fetch = this.#underWay.get(key);
      if (fetch === undefined) {
        fetch = this.#fetch(key, token).finally(() => this.#underWay.delete(key));
        this.#underWay.set(key, fetch);
      }
      return await fetch;
    } finally {
      activeFetches.add(-1, ["blocked"]);
    }
  }

  async #fetch(key: string, token: string): Promise<User | "refused"> {
    const { activeFetches, fetches } = this.#metrics.tokenCache;
    activeFetches.add(1, ["in_flight"]);
    let outcome = "error";
    try {
      using scope = deadlineScope(this.#deps.clock, TIMEOUT_MS, new AbortController().signal);
      const { status = {} } = await askReview(
        this.#deps,
        this.#metrics.tokenReviews,
        TokenReviewResource,
        { metadata: {}, spec: { token } },
        scope.signal,
      );
      if (status.authenticated !== true && status.error) throw new TokenRefused(status.error);
      const user = status.authenticated === true ? userFrom(status.user ?? {}) : "refused";
      this.#cache.set(key, user, this.#ttlMs);
      outcome = "ok";
      return user;
    } finally {
      activeFetches.add(-1, ["in_flight"]);
      fetches.inc([outcome]);
    }
  }
}

function userFrom(info: NonNullable<NonNullable<TokenReview["status"]>["user"]>): User {
  const { username = "", uid, groups = [], extra } = info;
  return { name: username, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}
