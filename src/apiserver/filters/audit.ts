// Auditing: the sink gets every request with its answer, and every answer carries an audit id. Without a sink it costs
// nothing.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/audit.go

import type { KubeObject } from "#api/object.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Rng } from "#base/rng.ts";
import { type Filter, headerOf, type ServerRequest } from "../request-context.ts";
import type { RequestInfo } from "../request-info.ts";

export interface AuditEvent {
  readonly id: string;
  readonly request: ServerRequest;
  /** The object of a create or update, decoded and defaulted. */
  readonly requestObject?: KubeObject;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly receivedMs: EpochMs;
  /** For a watch: when its answer began. */
  readonly answeredMs: EpochMs;
  readonly response: HttpResponse;
  /** Annotations of admission plugins. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditSink {
  /** Must not throw, and must not keep streaming bodies. */
  record(event: AuditEvent): void;
}

const ID_HEADER = "audit-id";

export function recordAudit(clock: Clock, rng: Rng, sink: AuditSink): Filter {
  return (next) => async (context, signal) => {
    const id = headerOf(context.request, ID_HEADER) || rng.uuid();
    const { receivedMs } = context;
    const answer = await next(context, signal);
    const response = { ...answer, headers: { ...answer.headers, [ID_HEADER]: id } };
    const { request, info, user, decodedBody, auditAnnotations } = context;
    const isWhole = info.verb === "create" || info.verb === "update";
    const requestObject = isWhole && decodedBody !== undefined ? { requestObject: decodedBody } : {};
    const annotations = auditAnnotations && { annotations: auditAnnotations };
    const answeredMs = clock.now();
    sink.record({ id, request, ...requestObject, info, user, receivedMs, answeredMs, response, ...annotations });
    return response;
  };
}
