// The client's own errors. Failures that the server reports are ApiErrors (#api/status-error.ts). Exchanges without a
// complete answer are TransportErrors (#base/http.ts).

import { ApiError } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";

/** A body or a watch frame that does not match its content type. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** A request that cannot be expressed as a URL. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

/** Adds the error of an earlier attempt to the message; the error's class stays the same. */
// Upstream: client-go/rest/with_retry.go, WrapPreviousError
// Deviation: an abort keeps its identity instead of gaining text, because isAborted compares reasons.
export function withPreviousAttempt(error: unknown, previous: Error | undefined): unknown {
  if (!previous || !(error instanceof Error) || error.message === previous.message) return error;
  const message = `${error.message} - error from a previous attempt: ${previous.message}`;
  if (error instanceof ApiError) return new ApiError({ ...error.status, message }, { cause: error });
  if (error instanceof TransportError) return new TransportError(error.failure, message, { cause: error });
  return error;
}
