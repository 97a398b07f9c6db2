// /openapi/v3: the index with hashed URLs, and one document per group version. Created on demand and after changes of
// the kinds. Accepts any method.
// Upstream: k8s.io/kube-openapi/pkg/handler3; k8s.io/kube-aggregator/pkg/controllers/openapiv3

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { type AcceptClause, parseAccept } from "../media-type.ts";
import type { Registry } from "../registry.ts";
import { headerOf, type RequestContext } from "../request-context.ts";
import { orderedGroups, orderedVersions } from "./discovery-documents.ts";
import { type CachedDocument, DocumentCache } from "./document-cache.ts";
import { openApiV3Document } from "./openapi-v3-document.ts";

/** Undefined for other paths. */
export function openApiHandler(core: ServerCore): (context: RequestContext) => HttpResponse | undefined {
  const documents = new DocumentCache(core.registry);
  return (context) => {
    const { path } = context.info;
    if (path === INDEX)
      return respondWithIndex(
        context,
        documents.get("index", (registry) => index(registry, documents)),
      );
    if (!path.startsWith(`${INDEX}/`)) return undefined;
    const name = path.slice(INDEX.length + 1);
    const [, group = "", version = ""] = /^(?:api|apis\/([^/]+))\/([^/]+)$/.exec(name) ?? [];
    if (!core.registry.hasVersion(group, version)) return empty(404);
    const accepted = parseAccept(headerOf(context.request, "accept") || "*/*");
    if (accepted.length === 0) return empty(200);
    if (!accepted.some(isJson)) return empty(406, { vary: "Accept" });
    return respond(context, name, documentOf(documents, group, version));
  };
}

const INDEX = "/openapi/v3";

/** Deviation: upstream also serves the documents as protobuf. */
const isJson = ({ type, subtype }: AcceptClause): boolean =>
  ["application/json", "application/*", "*/*"].includes(`${type}/${subtype}`);

function empty(status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status,
    headers: { "cache-control": NOT_CACHED, ...headers },
    body: { kind: "bytes", bytes: new Uint8Array(0) },
  };
}

const NOT_CACHED = "no-cache, private";

/** Served as plain text: upstream sets no content type, and its HTTP library detects text. */
function respondWithIndex({ request }: RequestContext, { value, bytes }: CachedDocument): HttpResponse {
  const headers = { "cache-control": NOT_CACHED, "content-type": "text/plain; charset=utf-8" };
  return { status: 200, headers, body: request.direct ? { kind: "object", value } : { kind: "bytes", bytes } };
}

function index(registry: Registry, documents: DocumentCache): unknown {
  const paths: Record<string, unknown> = {};
  for (const group of ["", ...orderedGroups(registry)]) {
    for (const version of orderedVersions(registry, group)) {
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      const remote = registry.remote(group, version);
      if (remote !== undefined) {
        if (remote.openApiUrl !== undefined) paths[path] = { serverRelativeURL: remote.openApiUrl };
        continue;
      }
      // The tag is a hash of the content, so the URL changes with the content.
      const { etag } = documentOf(documents, group, version);
      paths[path] = { serverRelativeURL: addressOf(path, etag) };
    }
  }
  return { paths };
}

const addressOf = (name: string, etag: string): string => `${INDEX}/${name}?hash=${etag}`;

function documentOf(documents: DocumentCache, group: string, version: string): CachedDocument {
  return documents.get(`${group}/${version}`, (registry) => openApiV3Document(registry, group, version));
}

function respond(context: RequestContext, name: string, { value, bytes, etag }: CachedDocument): HttpResponse {
  const tag = `"${etag}"`;
  const hash = context.query.text("hash");
  const headers = {
    "cache-control": hash === etag ? "public, immutable" : NOT_CACHED,
    "content-type": "application/json",
    etag: tag,
    vary: "Accept",
  };
  if (hash !== "" && hash !== etag) return empty(301, { ...headers, location: addressOf(name, etag) });
  if (headerOf(context.request, "if-none-match") === tag) {
    return empty(304, { "cache-control": headers["cache-control"], etag: tag, vary: "Accept" });
  }
  if (context.request.direct) return { status: 200, headers, body: { kind: "object", value } };
  return { status: 200, headers, body: { kind: "bytes", bytes } };
}
