// The client's own errors. Failures that the server names are ApiErrors (#api/status-error.ts),
// exchanges that brought no whole answer are TransportErrors (#base/http.ts).

import { ApiError } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";

/** A body or a watch frame that is not what its content type promises. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** A request that cannot be put into a URL. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

/** Adds what an earlier attempt failed with; the kind of error stays what it is. */
// Upstream: client-go/rest/with_retry.go, WrapPreviousError
// Deviation: an abort keeps its identity instead of gaining text, because isAborted compares reasons.
export function withPreviousAttempt(error: unknown, previous: Error | undefined): unknown {
  if (!previous || !(error instanceof Error) || error.message === previous.message) return error;
  const message = `${error.message} - error from a previous attempt: ${previous.message}`;
  if (error instanceof ApiError) return new ApiError({ ...error.status, message }, { cause: error });
  if (error instanceof TransportError) return new TransportError(error.failure, message, { cause: error });
  return error;
}
