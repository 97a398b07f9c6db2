// Authorizes users through the API server (SubjectAccessReview) and caches the answers.
// Upstream: apiserver/plugin/pkg/authorizer/webhook/webhook.go.

import { SubjectAccessReviews } from "#api/generated/resources/authorization-v1.ts";
import type { SubjectAccessReview } from "#api/generated/types/authorization-v1.ts";
import type { AuthMetrics } from "./auth-metrics.ts";
import type { Decision } from "./authorization.ts";
import type { User } from "./request.ts";
import { askReview, ExpiringCache, type ReviewDeps } from "./review-call.ts";

const CACHED_ANSWERS_MAX = 8192;
/** Decisions with longer keys are not cached. */
const CACHED_KEY_LENGTH_MAX = 10_000;

export interface AccessTtls {
  readonly allowedMs: number;
  readonly deniedMs: number;
}

export class AccessReviews {
  readonly #deps: ReviewDeps;
  readonly #metrics: AuthMetrics;
  readonly #ttls: AccessTtls;
  readonly #cache: ExpiringCache<NonNullable<SubjectAccessReview["status"]>>;

  constructor(deps: ReviewDeps, metrics: AuthMetrics, ttls: AccessTtls) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#ttls = ttls;
    this.#cache = new ExpiringCache(deps.clock, CACHED_ANSWERS_MAX);
  }

  /** Throws when the API server does not answer. */
  async decide(user: User, verb: string, path: string, signal: AbortSignal): Promise<Decision> {
    const { name, uid, groups, extra } = user;
    const spec = {
      nonResourceAttributes: { path, verb },
      user: name,
      groups,
      ...(extra ? { extra } : {}),
      ...(uid ? { uid } : {}),
    };
    const key = JSON.stringify(spec);
    let status = this.#cache.get(key);
    if (status === undefined) {
      const metrics = this.#metrics.accessReviews;
      const answer = await askReview(this.#deps, metrics, SubjectAccessReviews, { metadata: {}, spec }, signal);
      status = answer.status ?? { allowed: false };
      const ttlMs = status.allowed ? this.#ttls.allowedMs : this.#ttls.deniedMs;
      if (key.length < CACHED_KEY_LENGTH_MAX) this.#cache.set(key, status, ttlMs);
    }
    const { allowed, denied = false, reason = "" } = status;
    if (denied && allowed) throw new Error("webhook subject access review returned both allow and deny response");
    if (denied) return { kind: "denied", reason };
    return { kind: allowed ? "allowed" : "no-opinion", reason };
  }
}
