// /api, /apis and what is below them up to the version.

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { methodNotAllowed, routeNotFound } from "../errors.ts";
import { plainText } from "../filters/errors.ts";
import { parseAccept } from "../media-type.ts";
import { respondWithValue } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { headerOf, type RequestContext } from "../request-context.ts";
import { splitPath } from "../request-info.ts";
import { aggregated, coreVersions, groupDocument, groupList, resourceList } from "./discovery-documents.ts";
import { type CachedDocument, DocumentCache } from "./document-cache.ts";

/** Undefined for other paths. */
export function discoveryHandler(core: ServerCore): (context: RequestContext) => HttpResponse | undefined {
  const documents = new DocumentCache(core.registry);
  return (context) => {
    const parts = splitPath(context.info.path);
    if (parts[0] !== "api" && parts[0] !== "apis") return undefined;
    if (context.request.method !== "GET") throw methodNotAllowed();
    if (parts.length === 1) return root(core, documents, context, parts[0] === "api");
    if (parts[0] === "api")
      return parts.length === 2 ? version(core, documents, context, "", parts[1] as string) : undefined;
    const group = parts[1] as string;
    if (!core.registry.hasGroup(group)) return plainText(404, "404 page not found\n");
    if (parts.length === 2)
      return respond(
        context,
        documents.get(`group ${group}`, (registry) => groupDocument(registry, group)),
      );
    return version(core, documents, context, group, parts[2] as string);
  };
}

function root(core: ServerCore, documents: DocumentCache, context: RequestContext, isCore: boolean): HttpResponse {
  const wanted = aggregatedVersion(headerOf(context.request, "accept"));
  const name = isCore ? "api" : "apis";
  if (wanted === undefined) {
    const document = documents.get(name, (registry) =>
      isCore ? coreVersions(registry, core.serverAddress) : groupList(registry),
    );
    return respond(context, document);
  }
  const document = documents.get(`${name} ${wanted}`, (registry) => aggregated(registry, isCore, wanted));
  return respondTagged(
    context,
    document,
    `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`,
  );
}

function version(
  core: ServerCore,
  documents: DocumentCache,
  context: RequestContext,
  group: string,
  name: string,
): HttpResponse {
  if (!core.registry.hasVersion(group, name)) {
    if (core.registry.isCustomGroup(group)) return plainText(404, "404 page not found\n");
    throw routeNotFound();
  }
  return respond(
    context,
    documents.get(`version ${group}/${name}`, (registry) => resourceList(registry, group, name)),
  );
}

/** The version of the aggregated document, if the client takes any: it comes before what else it takes. */
function aggregatedVersion(accept: string): "v2" | undefined {
  if (!accept.includes("apidiscovery.k8s.io")) return undefined;
  for (const { type, subtype, params } of parseAccept(accept)) {
    const isJson =
      (type === "application" && (subtype === "json" || subtype === "*")) || (type === "*" && subtype === "*");
    if (!isJson || params.get("as") !== "APIGroupDiscoveryList") continue;
    if (params.get("g") === "apidiscovery.k8s.io" && params.get("v") === "v2") return "v2";
  }
  return undefined;
}

function respond(context: RequestContext, { value }: CachedDocument): HttpResponse {
  return respondWithValue(context, negotiate(context, { allowsProtobuf: true, allowsTransform: false }), value);
}

function respondTagged(
  context: RequestContext,
  { value, bytes, etag }: CachedDocument,
  contentType: string,
): HttpResponse {
  const tag = `"${etag}"`;
  const headers = { "cache-control": "public", "content-type": contentType, etag: tag, vary: "Accept" };
  if (headerOf(context.request, "if-none-match") === tag) {
    return { status: 304, headers: { etag: tag, vary: "Accept" }, body: { kind: "bytes", bytes: new Uint8Array(0) } };
  }
  if (context.request.direct) return { status: 200, headers, body: { kind: "object", value } };
  return { status: 200, headers, body: { kind: "bytes", bytes } };
}
