// Bearer tokens, as a transport over another transport. A request with an Authorization header passes untouched. After
// a 401 the source forgets the token if it is older than the request, so that the next request gets a new one. The
// caller still receives the 401.
// Upstream: client-go/transport/token_source.go

import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Transport } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { singleFlight } from "#client/single-flight.ts";

export interface TokenSource {
  token(signal: AbortSignal): Promise<string>;
  /** Drops the token if it was fetched before this moment of the monotonic clock. */
  forget(fetchedBeforeMs: number): void;
}

export function withBearerToken(transport: Transport, source: TokenSource, clock: Clock): Transport {
  return {
    async send(request, signal) {
      if (request.headers.authorization !== undefined) return transport.send(request, signal);
      const startedAt = clock.monotonicMs();
      const token = await source.token(signal);
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const response = await transport.send({ ...request, headers }, signal);
      if (response.status === 401) source.forget(startedAt);
      return response;
    },
  };
}

export interface Token {
  readonly value: string;
  /** When to fetch a new token, on the monotonic clock. */
  readonly refreshAtMs: number;
}

export interface CachedTokenSourceOptions {
  readonly clock: Clock;
  readonly fetch: (signal: AbortSignal) => Promise<Token>;
  readonly log?: Logger;
}

/**
 * Keeps a token until it is due for a refresh. Fetches run one at a time. After a failed refresh the old token stays in
 * use.
 */
export function cachedTokenSource({ clock, fetch, log }: CachedTokenSourceOptions): TokenSource {
  let cached: (Token & { readonly fetchedAtMs: number }) | undefined;

  const refresh = singleFlight(async (signal) => {
    const fetchedAtMs = clock.monotonicMs();
    try {
      cached = { ...(await fetch(signal)), fetchedAtMs };
    } catch (error) {
      if (!cached || signal.aborted) throw error;
      log?.error(error, `Unable to rotate token: ${errorMessage(error)}`);
    }
    return cached.value;
  });

  return {
    async token(signal) {
      if (cached && clock.monotonicMs() < cached.refreshAtMs) return cached.value;
      return await refresh(signal);
    },
    forget(fetchedBeforeMs) {
      if (cached && cached.fetchedAtMs < fetchedBeforeMs) cached = undefined;
    },
  };
}
