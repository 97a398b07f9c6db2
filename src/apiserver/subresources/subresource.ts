// The handler interface of subresources and kinds with special answers: scale, binding, eviction, token, reviews.

import type { HttpResponse } from "#base/http.ts";
import type { ResourceCall, ServerCore } from "../core.ts";

export type SubresourceHandler = (core: ServerCore, call: ResourceCall, signal: AbortSignal) => Promise<HttpResponse>;
