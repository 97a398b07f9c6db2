// Authorizers in order: masters, paths that are always allowed, then the API server.
// Upstream: apiserver/pkg/server/options/authorization.go, toAuthorizer; authorization/path/path.go.

import { goQuote } from "#api/go-text.ts";
import type { AccessReviews } from "./access-reviews.ts";
import type { User } from "./request.ts";

export interface Decision {
  readonly kind: "allowed" | "denied" | "no-opinion";
  readonly reason: string;
}

const MASTERS = "system:masters";

export type Authorizer = (user: User, verb: string, path: string, signal: AbortSignal) => Promise<Decision>;

/** reviews: undefined without an API server. Throws for an invalid pattern. */
export function createAuthorizer(alwaysAllowPaths: readonly string[], reviews: AccessReviews | undefined): Authorizer {
  const isAlwaysAllowed = pathMatcher(alwaysAllowPaths);
  return async (user, verb, path, signal) => {
    if (user.groups.includes(MASTERS) || isAlwaysAllowed(path)) return { kind: "allowed", reason: "" };
    return reviews === undefined ? { kind: "no-opinion", reason: "" } : reviews.decide(user, verb, path, signal);
  };
}

/** Exact paths, and prefixes that end in '*'. The leading slash may be left out. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const paths = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    const text = pattern.replace(/^\//, "");
    if (text.slice(0, -1).includes("*")) throw new Error(`only trailing * allowed in ${goQuote(text)}`);
    if (text.endsWith("*")) prefixes.push(text.slice(0, -1));
    else paths.add(text);
  }
  return (path) => {
    const text = path.replace(/^\//, "");
    return paths.has(text) || prefixes.some((prefix) => text.startsWith(prefix));
  };
}
