// Faults between a client and the API server, and the requests that they affect: plain data for the fault proxy.

import type { IncomingHttpHeaders } from "node:http";

/**
 * `afterLines: n` passes n lines of the body and half of the next one; without it nothing of the reply passes, although
 * the server has executed the request.
 * - stall: silence on an open connection until the injection is removed.
 * - cut: the stream ends early but orderly (FIN), in the middle of a line.
 * - reset: the connection breaks (RST).
 * - refuse: the connection breaks before the server sees the request.
 * - delay: the request waits before it is passed on.
 * - status: the proxy answers itself.
 * - replay: the proxy answers with a recorded answer for the same path.
 */
export type Fault =
  | { readonly kind: "stall"; readonly afterLines?: number }
  | { readonly kind: "cut"; readonly afterLines?: number }
  | { readonly kind: "reset"; readonly afterLines?: number }
  | { readonly kind: "refuse" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "replay"; readonly memory: Memory };

export interface ProxiedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** From the client certificate; undefined for a bearer token. */
  readonly user: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface RequestMatch {
  readonly method?: string;
  /** The whole path, or a regular expression. */
  readonly path?: string | RegExp;
  readonly isWatch?: boolean;
  readonly user?: string;
}

export function matches(match: RequestMatch, request: ProxiedRequest): boolean {
  return (
    (match.method === undefined || match.method === request.method) &&
    (match.isWatch === undefined || match.isWatch === request.isWatch) &&
    (match.user === undefined || match.user === request.user) &&
    (match.path === undefined ||
      (typeof match.path === "string" ? match.path === request.path : match.path.test(request.path)))
  );
}

/** The newest successful answer per path and content type; watches are not recorded. */
export interface Memory {
  readonly match: RequestMatch;
  readonly answers: Map<string, RememberedAnswer>;
}

export interface RememberedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

export function memoryKey(request: ProxiedRequest): string {
  return `${request.path} ${request.headers.accept ?? ""}`;
}

/** An active fault: for the next `times` matching requests, or until it is removed. */
export interface Injection {
  /** The number of requests that it affected. */
  readonly hits: number;
  /** Ends the fault and resumes stalled streams. */
  remove(): void;
}

/** Splits a chunk where a fault takes effect: half a line after `linesLeft` line ends. */
export function splitForFault(chunk: Buffer, linesLeft: number): { pass: Buffer; linesLeft: number; struck: boolean } {
  let start = 0;
  for (let left = linesLeft; ; left--) {
    const end = chunk.indexOf(0x0a, start);
    if (left === 0) {
      const rest = (end === -1 ? chunk.length : end) - start;
      if (rest === 0) return { pass: chunk.subarray(0, start), linesLeft: 0, struck: false };
      return { pass: chunk.subarray(0, start + Math.ceil(rest / 2)), linesLeft: 0, struck: true };
    }
    if (end === -1) return { pass: chunk, linesLeft: left, struck: false };
    start = end + 1;
  }
}
