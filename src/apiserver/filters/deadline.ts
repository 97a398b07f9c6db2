// How long a write may take. Reads answer at once or wait for a bounded time of their own.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go

import type { Clock } from "#base/clock.ts";
import { DeadlineExceeded } from "#base/errors.ts";
import type { ServerLimits } from "../core.ts";
import type { Filter } from "../request-context.ts";
import { isLongRunning, isMutating } from "./request-kinds.ts";

export function limitTime(clock: Clock, limits: ServerLimits): Filter {
  return (next) => async (context, signal) => {
    const { request, info } = context;
    // A body in one piece and admission within the process leave nothing to wait for.
    if (isLongRunning(info) || !isMutating(request.method) || request.body?.kind !== "stream")
      return next(context, signal);
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal.reason);
    const timer = clock.after(limits.requestTimeoutMs, () =>
      controller.abort(new DeadlineExceeded(limits.requestTimeoutMs)),
    );
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await raced(next(context, controller.signal), controller.signal);
    } finally {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", abort);
    }
  };
}

/** Ends with the signal even when the work does not look at it, a body that never comes for instance. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
