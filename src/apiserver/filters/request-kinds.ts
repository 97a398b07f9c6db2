// Which requests are writes, and which are long-running.

import type { RequestInfo } from "../request-info.ts";

export function isMutating(method: string): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"]);

export function isLongRunning(info: RequestInfo): boolean {
  if (!info.isResourceRequest) return false;
  return info.verb === "watch" || info.verb === "proxy" || LONG_SUBRESOURCES.has(info.subresource);
}
