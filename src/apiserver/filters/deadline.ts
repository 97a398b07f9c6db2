// Limits the duration of requests: writes with a streamed body, and any request with a timeout parameter. Reads answer
// at once or wait for a bounded time. Long-running requests have no limit.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go

import { MILLISECOND, parseDuration } from "#api/go-duration.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { DeadlineExceeded, errorMessage } from "#base/errors.ts";
import type { ServerLimits } from "../core.ts";
import type { Query } from "../query.ts";
import type { Filter } from "../request-context.ts";
import { isLongRunning, isMutating } from "./request-kinds.ts";

export function limitTime(clock: Clock, { requestTimeoutMs }: ServerLimits): Filter {
  return (next) => async (context, signal) => {
    const { request, info, query } = context;
    if (isLongRunning(info)) return next(context, signal);
    const wantedMs = wantedTimeoutMs(query);
    // With a complete body and in-process admission there is nothing to wait for.
    const isQuick = !isMutating(request.method) || request.body?.kind !== "stream";
    if (isQuick && wantedMs === undefined) return next(context, signal);
    const limitMs = Math.min(wantedMs ?? requestTimeoutMs, requestTimeoutMs);
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal.reason);
    const timer = clock.after(limitMs, () => controller.abort(new DeadlineExceeded(limitMs)));
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await raced(next(context, controller.signal), controller.signal);
    } finally {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", abort);
    }
  };
}

/** Zero and less mean the server's default limit. */
function wantedTimeoutMs(query: Query): number | undefined {
  const text = query.text("timeout");
  if (text === "") return undefined;
  try {
    const nanoseconds = parseDuration(text);
    return nanoseconds > 0n ? Number(nanoseconds) / Number(MILLISECOND) : undefined;
  } catch (error) {
    throw newBadRequest(`invalid timeout specified in the request URL - ${errorMessage(error)}`);
  }
}

/** Ends with the signal even when the work ignores it, for example while a body never arrives. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
