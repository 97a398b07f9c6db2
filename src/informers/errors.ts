// The informers' errors, and how a reflector classifies errors of the API.

import { ApiError, hasCause, isExpired, isGone, isTimeout, isTooManyRequests } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";

export class IndexerConflict extends Error {
  override readonly name = "IndexerConflict";
  constructor(names: readonly string[]) {
    super(`indexer conflict: ${names.join(", ")}`);
  }
}

/** A call at a stage of an informer's life at which it is no longer allowed. */
export class InformerStateError extends Error {
  override readonly name = "InformerStateError";
}

/** A handler threw. Upstream such a panic ends the process; here the owner of the informer decides. */
export class HandlerError extends Error {
  override readonly name = "HandlerError";
}

/**
 * The server closed the watch within a second without an event. The reflector relists instead of reopening in a hot
 * loop.
 */
export class VeryShortWatch extends Error {
  override readonly name = "VeryShortWatch";
  constructor(reflector: string) {
    super(
      `very short watch: ${reflector}: Unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** The stream used to send bookmarks and has been silent for too long: the connection must be dead. */
export class SilentWatch extends Error {
  override readonly name = "SilentWatch";
  constructor(silentMs: number) {
    super(`watch was silent for ${silentMs / 1000}s`);
  }
}

/** The server answered with a state older than one it had shown before. */
export class StateWentBack extends Error {
  override readonly name = "StateWentBack";
  constructor(offered: string, known: string) {
    super(`the server offered resource version ${offered} after ${known}`);
  }
}

/** An answer that cannot be kept in a cache, such as a Table. */
export class UnusableList extends Error {
  override readonly name = "UnusableList";
}

// Upstream: client-go/tools/cache/reflector.go, isExpiredError
export function isExpiredVersion(error: unknown): boolean {
  return isExpired(error) || isGone(error);
}

// Upstream: client-go/tools/cache/reflector.go, isTooLargeResourceVersionError
export function isTooLargeVersion(error: unknown): boolean {
  if (hasCause(error, "ResourceVersionTooLarge")) return true;
  if (!isTimeout(error) || !(error instanceof ApiError)) return false;
  const isMeant = (text: string | undefined): boolean => text?.includes("Too large resource version") ?? false;
  return isMeant(error.status.message) || error.causes.some((cause) => isMeant(cause.message));
}

/** The connection was refused, or the server asks the client to wait: try the same again later, without a new list. */
// Upstream: client-go/tools/cache/reflector.go, isWatchErrorRetriable
export function isOverloadedOrDown(error: unknown): boolean {
  return (error instanceof TransportError && error.failure === "refused") || isTooManyRequests(error);
}
