// Turns the embedded server's requests into audit events as a real server writes them, so that one normaliser reads
// both.

import { parseExactJson } from "#api/json.ts";
import { lazy } from "#api/lazy.ts";
import type { KubeObject } from "#api/object.ts";
import type { AuditEvent as ServerEvent } from "#apiserver/filters/audit.ts";
import type { HttpBody } from "#base/http.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";

const text = new TextDecoder();

export function auditEventOf(event: ServerEvent): AuditEvent {
  const { request, info, user, response } = event;
  const contentType = String(request.headers["content-type"] ?? "");
  const patchType = request.method === "PATCH" ? (/^application\/([a-z-]+)\+/.exec(contentType)?.[1] ?? "unknown") : "";
  const requestObject = event.requestObject ?? requestBody(event);
  // The answers to discovery and lists are large and not about one object.
  const isAboutOne = info.isResourceRequest && info.verb !== "list";
  const failure = response.status >= 400 ? decoded(response.body) : undefined;
  const { reason, message } = (failure ?? {}) as { reason?: string; message?: string };
  const hasAnswer = isAboutOne && failure === undefined && isWhole(response.body);
  const common: AuditEvent = {
    // The form that the proxy in front of a real server writes (watching-proxy.ts).
    auditID: `${event.id}_${patchType}`,
    stage: info.verb === "watch" ? "ResponseStarted" : "ResponseComplete",
    verb: info.verb,
    requestURI: request.query === "" ? request.path : `${request.path}?${request.query}`,
    user: { username: user.name, groups: user.groups ?? [] },
    userAgent: String(request.headers["user-agent"] ?? ""),
    ...(info.isResourceRequest ? { objectRef: objectRefOf(info, requestObject) } : {}),
    responseStatus: {
      code: response.status,
      ...(response.status >= 400 && reason !== undefined ? { reason } : {}),
      ...(response.status >= 400 && message !== undefined ? { message } : {}),
    },
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(failure === undefined ? {} : { responseObject: failure }),
    requestReceivedTimestamp: new Date(event.receivedMs).toISOString(),
    stageTimestamp: new Date(event.answeredMs).toISOString(),
  };
  return hasAnswer ? withAnswer(common, response.body) : common;
}

/** Few of the answers are read. */
function withAnswer(event: AuditEvent, body: HttpBody): AuditEvent {
  const answer = lazy(() => decoded(body));
  return Object.defineProperty({ ...event }, "responseObject", { get: answer, enumerable: true });
}

const isWhole = (body: HttpBody): boolean => body.kind === "bytes" || body.kind === "object";

function objectRefOf(
  info: ServerEvent["info"] & { isResourceRequest: true },
  requestObject: unknown,
): NonNullable<AuditEvent["objectRef"]> {
  const { group, version, resource, subresource, namespace } = info;
  // The URL of a create has no name.
  const given = info.verb === "create" ? (requestObject as KubeObject | undefined)?.metadata?.name : undefined;
  const name = info.name === "" ? (given ?? "") : info.name;
  return {
    apiVersion: version,
    resource,
    ...(group === "" ? {} : { apiGroup: group }),
    ...(subresource === "" ? {} : { subresource }),
    ...(namespace === "" ? {} : { namespace }),
    ...(name === "" ? {} : { name }),
  };
}

/** A real server logs the options of a delete in decoded form. */
function requestBody({ info, request }: ServerEvent): unknown {
  const body = decoded(request.body);
  if (body === undefined || !info.verb.startsWith("delete")) return body;
  return { ...(body as object), kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal" };
}

function decoded(body: HttpBody | undefined): unknown {
  if (body === undefined || (body.kind !== "bytes" && body.kind !== "object")) return undefined;
  if (body.kind === "object") return body.value;
  const written = text.decode(body.bytes);
  return /^\s*[[{]/.test(written) ? parseExactJson(written) : undefined;
}
