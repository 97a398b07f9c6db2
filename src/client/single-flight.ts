// Runs one piece of work at a time and shares its result with all callers that arrive meanwhile.

import { orAborted } from "#base/abort.ts";
import { isAborted } from "#base/errors.ts";

export function singleFlight<R>(work: (signal: AbortSignal) => Promise<R>): (signal: AbortSignal) => Promise<R> {
  let pending: Promise<R> | undefined;
  return async (signal) => {
    for (;;) {
      pending ??= work(signal).finally(() => {
        pending = undefined;
      });
      try {
        return await orAborted(pending, signal);
      } catch (error) {
        // The caller that began the work aborted it; the others still want its result.
        if (signal.aborted || !isAborted(error)) throw error;
      }
    }
  };
}
