// Answers of the daemon's port: plain text as Go's http.Error writes it, and Status objects in a form that the client
// accepts.
// Upstream: apiserver/pkg/endpoints/handlers/{negotiation,responsewriters}.

import { encodeProtobuf } from "#api/proto-codec.ts";
import type { ApiError } from "#api/status-error.ts";
import type { HttpHeaders, HttpResponse } from "#base/http.ts";
import { headerValue, type MediaType, parseMediaType } from "#client/headers.ts";
import { type DaemonRequest, queryValues } from "./request.ts";
import { yamlText } from "./yaml-text.ts";

const utf8 = new TextEncoder();

export function textResponse(status: number, text: string, headers: HttpHeaders = {}): HttpResponse {
  const type = { "content-type": "text/plain; charset=utf-8", ...headers };
  return { status, headers: type, body: { kind: "bytes", bytes: utf8.encode(text) } };
}

/** Go's http.Error: the text, a line break, and a header against content sniffing. */
export function errorResponse(status: number, text: string): HttpResponse {
  return textResponse(status, `${text}\n`, { "x-content-type-options": "nosniff" });
}

export const notFoundResponse = (): HttpResponse => errorResponse(404, "404 page not found");

/** Indented JSON is for people: requested by ?pretty, or by a browser or command line tool. */
export function wantsPretty(request: DaemonRequest): boolean {
  const [pretty] = queryValues(request, "pretty");
  if (pretty !== undefined) return ["", "1", "t", "T", "TRUE", "true", "True"].includes(pretty);
  const agent = headerValue(request.headers, "user-agent");
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}

/** Like encoding/json: characters with a meaning in HTML are escaped. */
export function jsonText(value: unknown, isPretty: boolean): string {
  const text = isPretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`;
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const statusTypes: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

export interface StatusForm {
  readonly headers?: HttpHeaders;
  /** The media types for the page's errors; JSON is always one. */
  readonly types?: readonly string[];
}

/** A Status in the media type that the client prefers. If the client accepts none, indented JSON. */
export function statusResponse(error: ApiError, request: DaemonRequest, form: StatusForm = {}): HttpResponse {
  const { headers = {}, types = statusTypes } = form;
  const { status } = error;
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, ...status };
  const type = acceptedType(headerValue(request.headers, "accept"), types);
  const isPretty = type === undefined || wantsPretty(request);
  const bytes =
    type === PROTOBUF_TYPE
      ? encodeProtobuf(object)
      : utf8.encode(type === YAML_TYPE ? yamlText(object) : jsonText(object, isPretty));
  return {
    status: status.code ?? 500,
    headers: { "content-type": type ?? JSON_TYPE, ...headers },
    body: { kind: "bytes", bytes },
  };
}

/** Undefined when the client accepts none of them. Clauses that ask for another kind do not apply to errors. */
function acceptedType(accept: string, types: readonly string[]): string | undefined {
  if (accept.trim() === "") return JSON_TYPE;
  for (const { type, parameters } of acceptClauses(accept)) {
    if (["as", "g", "v"].some((name) => parameters.has(name))) continue;
    if (types.includes(type)) return type;
    if (type === "*/*" || type === "application/*") return JSON_TYPE;
  }
  return undefined;
}

export interface AcceptClause extends MediaType {
  readonly quality: number;
}

/** The clauses of an Accept header by weight; for equal weights in order. */
export function acceptClauses(header: string): readonly AcceptClause[] {
  return header
    .split(",")
    .map(parseMediaType)
    .map((media) => ({ ...media, quality: Number(media.parameters.get("q") ?? 1) }))
    .sort((a, b) => b.quality - a.quality);
}

/** Escapes the message, so that it is never read as HTML. */
export function sanitized(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
