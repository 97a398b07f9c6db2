// Answers of the daemon's port: plain text as Go's http.Error writes it, and Status objects in the form
// that the client accepts.
// Upstream: apiserver/pkg/endpoints/handlers/{negotiation,responsewriters}.

import { encodeProtobuf } from "#api/proto-codec.ts";
import type { ApiError } from "#api/status-error.ts";
import type { HttpHeaders, HttpResponse } from "#base/http.ts";
import { headerValue, parseMediaType } from "#client/headers.ts";
import { type DaemonRequest, queryValues } from "./request.ts";
import { yamlText } from "./yaml-text.ts";

const utf8 = new TextEncoder();

export function textResponse(status: number, text: string, headers: HttpHeaders = {}): HttpResponse {
  const type = { "content-type": "text/plain; charset=utf-8", ...headers };
  return { status, headers: type, body: { kind: "bytes", bytes: utf8.encode(text) } };
}

/** Go's http.Error: the text and a line break, not to be sniffed. */
export function errorResponse(status: number, text: string): HttpResponse {
  return textResponse(status, `${text}\n`, { "x-content-type-options": "nosniff" });
}

export const notFoundResponse = (): HttpResponse => errorResponse(404, "404 page not found");

/** People get indented JSON: by ?pretty, or because a browser or a command line tool asks. */
export function wantsPretty(request: DaemonRequest): boolean {
  const [pretty] = queryValues(request, "pretty");
  if (pretty !== undefined) return ["", "1", "t", "T", "TRUE", "true", "True"].includes(pretty);
  const agent = headerValue(request.headers, "user-agent");
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}

export function jsonText(value: unknown, request: DaemonRequest): string {
  return wantsPretty(request) ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`;
}

/** A Status in JSON, YAML or protobuf, whatever the client takes first; JSON when it takes none of them. */
export function statusResponse(error: ApiError, request: DaemonRequest, headers: HttpHeaders = {}): HttpResponse {
  const { status } = error;
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, ...status };
  const answer = (contentType: string, bytes: Uint8Array): HttpResponse => ({
    status: status.code ?? 500,
    headers: { "content-type": contentType, ...headers },
    body: { kind: "bytes", bytes },
  });
  for (const clause of headerValue(request.headers, "accept").split(",")) {
    const { type } = parseMediaType(clause);
    if (type === "application/yaml") return answer(type, utf8.encode(yamlText(object)));
    if (type === "application/vnd.kubernetes.protobuf") return answer(type, encodeProtobuf(object));
    if (type === "application/json") break;
  }
  return answer("application/json", utf8.encode(jsonText(object, request)));
}

/** Keeps a message from being taken for HTML. */
export function sanitized(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
