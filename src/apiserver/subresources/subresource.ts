// A subresource, or a kind, that has its own way of answering: scale, binding, eviction, token, reviews.

import type { HttpResponse } from "#base/http.ts";
import type { ResourceCall, ServerCore } from "../core.ts";

export type SubresourceHandler = (core: ServerCore, call: ResourceCall, signal: AbortSignal) => Promise<HttpResponse>;
