// Bearer tokens as a transport over a transport. A request that brings its own Authorization header
// passes untouched; a 401 makes the source forget a token that is older than the request, so that the
// next request gets a new one (this one's answer stays the 401 it is).
// Upstream: client-go/transport/token_source.go

import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Transport } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { singleFlight } from "#client/single-flight.ts";

export interface TokenSource {
  token(signal: AbortSignal): Promise<string>;
  /** Drop what was fetched before that moment of the monotonic clock. */
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
  /** When a new one is to be fetched, on the monotonic clock. */
  readonly refreshAtMs: number;
}

export interface CachedTokenSourceOptions {
  readonly clock: Clock;
  readonly fetch: (signal: AbortSignal) => Promise<Token>;
  readonly log?: Logger;
}

/** Keeps a token until it is due, one fetch at a time; a failed refresh keeps the old token in use. */
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
