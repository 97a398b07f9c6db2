// How many requests may be under way at once, reading and writing apart. Watches do not count, and
// members of system:masters always get an answer.
// Upstream: k8s.io/apiserver/pkg/server/filters/maxinflight.go

import type { ServerLimits } from "../core.ts";
import type { Filter } from "../request-context.ts";
import { plainText } from "./errors.ts";
import { isLongRunning, isMutating } from "./request-kinds.ts";

export function limitInFlight(limits: ServerLimits): Filter {
  let reading = 0;
  let writing = 0;
  return (next) => async (context, signal) => {
    if (isLongRunning(context.info)) return next(context, signal);
    const isWriting = isMutating(context.request.method);
    const isFull = isWriting ? writing >= limits.mutatingInFlightMax : reading >= limits.readingInFlightMax;
    if (isFull && context.user.groups?.includes("system:masters") !== true) {
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
}
