// The attributes of a request, from method, path and query: verb, group, version, namespace, resource, name,
// subresource. Authorization, admission and routing use them.
// Upstream: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go, NewRequestInfo

import { parseFieldSelector } from "#api/field-selector.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { isPathSegmentName } from "#api/names.ts";
import type { Query } from "./query.ts";

export interface ResourceRequestInfo {
  readonly isResourceRequest: true;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path segments after the version and /watch. */
  readonly segments: readonly string[];
  /** The path uses the deprecated /watch prefix. */
  readonly isWatchPath: boolean;
}

export interface NonResourceRequestInfo {
  readonly isResourceRequest: false;
  readonly path: string;
  /** The method in lower case. */
  readonly verb: string;
}

export type RequestInfo = ResourceRequestInfo | NonResourceRequestInfo;

const VERB_OF_METHOD: Readonly<Record<string, string>> = {
  __proto__: null as never,
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** path: already decoded. */
export function parseRequestInfo(method: string, path: string, query: Query): RequestInfo {
  const nonResource: NonResourceRequestInfo = { isResourceRequest: false, path, verb: method.toLowerCase() };
  const parts = splitPath(path);
  if (parts[0] === "api") {
    if (parts.length < 3) return nonResource;
    return parseResource(method, path, query, "", parts[1] as string, parts.slice(2)) ?? nonResource;
  }
  if (parts[0] !== "apis" || parts.length < 4) return nonResource;
  return parseResource(method, path, query, parts[1] as string, parts[2] as string, parts.slice(3)) ?? nonResource;
}

export function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  return start === end ? [] : path.slice(start, end).split("/");
}

function parseResource(
  method: string,
  path: string,
  query: Query,
  group: string,
  version: string,
  rest: string[],
): ResourceRequestInfo | undefined {
  const isWatchPath = rest[0] === "watch";
  const segments = isWatchPath ? rest.slice(1) : rest;
  if (segments.length === 0) return undefined;
  const { namespace, resource, name, subresource } = placeOf(segments);
  const info = { isResourceRequest: true, path, group, version, namespace, resource, subresource, segments } as const;
  if (isWatchPath) return { ...info, verb: "watch", name, isWatchPath };
  const verb = VERB_OF_METHOD[method] ?? "";
  if (name !== "") return { ...info, verb, name, isWatchPath };
  if (verb === "delete") return { ...info, verb: "deletecollection", name, isWatchPath };
  if (verb !== "get") return { ...info, verb, name, isWatchPath };
  return { ...info, ...collectionRead(query), isWatchPath };
}

/** /namespaces/ns/status addresses the namespace, /namespaces/ns/pods/... the pods in it. */
function placeOf(segments: readonly string[]): {
  namespace: string;
  resource: string;
  name: string;
  subresource: string;
} {
  const [first = "", second = "", third = "", ...more] = segments;
  const isInNamespace = first === "namespaces" && segments.length > 2 && third !== "status" && third !== "finalize";
  if (!isInNamespace) {
    return { namespace: first === "namespaces" ? second : "", resource: first, name: second, subresource: third };
  }
  return { namespace: second, resource: third, name: more[0] ?? "", subresource: more[1] ?? "" };
}

/** A list or a watch; with a field selector on the name, a request for that name. */
function collectionRead(query: Query): { verb: "list" | "watch"; name: string } {
  if (query.isEmpty) return { verb: "list", name: "" };
  const verb = query.flag("watch") ? "watch" : "list";
  const fieldText = query.text("fieldSelector");
  if (!fieldText.includes("metadata.name")) return { verb, name: "" };
  try {
    parseLabelSelector(query.text("labelSelector"));
    const name = parseFieldSelector(fieldText).requiredValue("metadata.name") ?? "";
    return { verb, name: isPathSegmentName(name).length === 0 ? name : "" };
  } catch {
    // The list itself reports the error; here it means that no name is known.
    return { verb, name: "" };
  }
}
