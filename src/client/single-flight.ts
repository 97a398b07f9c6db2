// One piece of work at a time, shared by all who want its result meanwhile.

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
        // The work ended with the caller that began it; the others still want its result.
        if (signal.aborted || !isAborted(error)) throw error;
      }
    }
  };
}
