// Limits concurrent requests, separately for reads and writes. Watches do not count, and members of system:masters are
// never limited.
// Upstream: k8s.io/apiserver/pkg/server/filters/maxinflight.go

import type { ServerLimits } from "../core.ts";
import type { Filter } from "../request-context.ts";
import type { RequestMetrics } from "../request-metrics.ts";
import { plainText } from "./errors.ts";
import { isLongRunning, isMutating } from "./request-kinds.ts";

export interface InFlightLimit {
  readonly filter: Filter;
  /** The number of requests in progress. */
  counts(): { readonly reading: number; readonly writing: number };
}

export function limitInFlight(limits: ServerLimits, metrics: RequestMetrics | undefined): InFlightLimit {
  let reading = 0;
  let writing = 0;
  const filter: Filter = (next) => async (context, signal) => {
    const { info } = context;
    if (isLongRunning(info)) return next(context, signal);
    const isWriting = isMutating(context.request.method);
    const isFull = isWriting ? writing >= limits.mutatingInFlightMax : reading >= limits.readingInFlightMax;
    if (isFull && context.user.groups?.includes("system:masters") !== true) {
      if (info.isResourceRequest) metrics?.refused(context, info);
      return plainText(429, "Too many requests, please try again later.\n", { "retry-after": "1" });
    }
    if (isWriting) writing++;
    else reading++;
    try {
      return await next(context, signal);
    } finally {
      if (isWriting) writing--;
      else reading--;
    }
  };
  return { filter, counts: () => ({ reading, writing }) };
}
