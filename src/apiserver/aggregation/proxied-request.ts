// A request to an aggregated API server: the user is passed in headers that only this server may set, and credentials
// are removed. Upstream: client-go/transport, SetAuthProxyHeaders; kube-aggregator pkg/apiserver/handler_proxy.go

import type { UserInfo } from "#api/user-info.ts";
import type { HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import type { RequestContext } from "../request-context.ts";

/** Headers of one connection (including HTTP/2), credentials, and headers about the user. */
const DROPPED =
  /^(:.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|authorization|impersonate-.*|x-remote-.*)$/;

export function proxiedRequest({ request, user }: RequestContext): HttpRequest {
  const { method, path, query, headers, body, peer } = request;
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.test(name));
  const forwarded = peer?.address === undefined ? {} : { "x-forwarded-for": peer.address };
  return {
    method,
    path,
    query,
    headers: { ...Object.fromEntries(kept), ...forwarded, ...userHeaders(user) },
    ...(body && { body: sendable(body) }),
  };
}

export function proxiedResponse({ status, headers, body }: HttpResponse): HttpResponse {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.test(name));
  return { status, headers: Object.fromEntries(kept), body };
}

/** Upstream: transport.SetAuthProxyHeaders */
export function userHeaders({ name, uid, groups, extra }: UserInfo): HttpHeaders {
  const extras = Object.entries(extra ?? {}).map(([key, values]) => [`x-remote-extra-${escapedKey(key)}`, values]);
  return {
    "x-remote-user": name,
    ...(uid && { "x-remote-uid": uid }),
    ...(groups && groups.length > 0 && { "x-remote-group": groups }),
    ...Object.fromEntries(extras),
  };
}

/** Upstream: headerKeyEscape: what no header name may have, and the percent sign itself. */
function escapedKey(key: string): string {
  return [...new TextEncoder().encode(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      const isPlain = /[!#$&'*+\-.^_`|~0-9a-z]/.test(character);
      return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** Encodes objects, which cannot leave the process. */
function sendable(body: HttpBody): HttpBody {
  if (body.kind !== "object") return body;
  return { kind: "bytes", bytes: new TextEncoder().encode(stringifyJson(body.value)) };
}
