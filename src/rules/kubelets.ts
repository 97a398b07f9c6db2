// The API server's requests to kubelets. The API server validates a request first.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";

export interface Kubelets {
  /** Throws a refusal. */
  readLog(request: LogRequest, signal: AbortSignal): HttpResponse;
  /** Why exec, attach, port-forward and proxy are not supported. */
  readonly refusal: string;
}

export interface LogRequest {
  /** The pod as it is in the store now; undefined: it is gone. */
  pod(): Pod | undefined;
  readonly podName: string;
  readonly container: string;
  /** The log of the container before its last restart. */
  readonly isPrevious: boolean;
  readonly follows: boolean;
  readonly hasTimestamps: boolean;
  /** Only lines from this time on. */
  readonly sinceMs?: EpochMs;
  /** The number of existing lines to begin with; later lines do not count. */
  readonly tailLines?: number;
  readonly limitBytes?: number;
}
