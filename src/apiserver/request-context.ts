// One request on its way through the filters: the request, its user, and headers and warnings for the answer.

import type { KubeObject } from "#api/object.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import type { Query } from "./query.ts";
import type { RequestInfo } from "./request-info.ts";
import type { RequestSeries } from "./request-metrics.ts";
import { Warnings } from "./warnings.ts";

/** The transport's information about the client. */
export interface Peer {
  readonly address?: string;
  /** The subject of a client certificate that one of the server's CAs signed. */
  readonly certificate?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    /** The UIDs in its subject. */
    readonly uids?: readonly string[];
    /** SHA-256 of the certificate, in hexadecimal. */
    readonly fingerprint?: string;
    /** The CAs that verify it; absent: the client CA. */
    readonly signedBy?: readonly string[];
  };
  /** A client certificate that no CA of the server verifies. */
  readonly untrusted?: object;
  /** Set for clients in this process, which need no credentials. */
  readonly user?: UserInfo;
}

export interface ServerRequest extends HttpRequest {
  readonly peer?: Peer;
}

export interface RequestContext {
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  /** The time of the request, read on first use: all rules of one write see the same time. */
  readonly receivedMs: EpochMs;
  /** On the monotonic clock, or UNTIMED. */
  readonly startedMs: number;
  /** The metrics for the answer; undefined: none, or the handler counts it. */
  series: RequestSeries | undefined;
  /** Set by authentication. */
  user: UserInfo;
  /** The body had empty lists, which the store does not distinguish from none. */
  hasEmptyLists?: boolean;
  /** The object of the body, decoded and defaulted. */
  decodedBody?: KubeObject;
  readonly warnings: Warnings;
  /** Annotations from admission plugins, for the audit event. */
  auditAnnotations?: Readonly<Record<string, string>>;
}

export class Exchange implements RequestContext {
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly startedMs: number;
  readonly warnings: Warnings = new Warnings();
  user: UserInfo;
  series: RequestSeries | undefined = undefined;
  // Not #private, which would cost more per request.
  private readonly clock: Clock;
  private lookedUpMs: EpochMs | undefined = undefined;

  constructor(
    clock: Clock,
    request: ServerRequest,
    query: Query,
    info: RequestInfo,
    user: UserInfo,
    startedMs: number,
  ) {
    this.request = request;
    this.query = query;
    this.info = info;
    this.user = user;
    this.startedMs = startedMs;
    this.clock = clock;
  }

  get receivedMs(): EpochMs {
    this.lookedUpMs ??= this.clock.now();
    return this.lookedUpMs;
  }
}

export type Handler = (context: RequestContext, signal: AbortSignal) => Promise<HttpResponse>;

/** Wraps the rest of the chain. */
export type Filter = (next: Handler) => Handler;

export function addWarning(context: RequestContext, text: string): void {
  context.warnings.add(text);
}

/** The first value of a header; "" if absent. */
export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : (value[0] ?? "");
}
