// Serves /api, /apis and the paths below down to the version. As upstream, paths of the router accept only GET; /apis,
// groups and custom groups are answered before the router, for any method.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver, apisHandler, apiGroupHandler

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { methodNotAllowed, routeNotFound } from "../errors.ts";
import { pageNotFound } from "../filters/errors.ts";
import { parseAccept } from "../media-type.ts";
import type { Registry } from "../registry.ts";
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
    const { path } = context.info;
    const [prefix, ...parts] = splitPath(path);
    if (prefix === "api") {
      if (parts.length > 1) return undefined;
      if (parts[0] !== undefined) return version(core, documents, context, "", parts[0]);
      onlyGet(context);
      return root(core, documents, context, true);
    }
    if (prefix !== "apis") return undefined;
    const [group, name] = parts;
    if (group === undefined) return path.endsWith("//") ? undefined : root(core, documents, context, false);
    const isRemote = core.registry.remotes(group).length > 0;
    if (group === "" || !(isRemote || core.registry.hasGroup(group))) return undefined;
    if (name !== undefined) return version(core, documents, context, group, name);
    const hasRouter = path.endsWith("//") && !isRemote && !core.registry.isCustomGroup(group);
    if (hasRouter) onlyGet(context);
    return respond(
      context,
      documents.get(`group ${group}`, (registry) => groupDocument(registry, group)),
      hasRouter,
    );
  };
}

/** Paths that answer with a document, without the variants that end in a slash. */
export function discoveryPaths(registry: Registry): readonly string[] {
  const ofVersions = (root: string, group: string): readonly string[] =>
    registry.versionsOf(group).map((version) => `${root}/${version}`);
  const named = registry.groups().filter((group) => group !== "");
  const ofGroups = named.flatMap((group) => [`/apis/${group}`, ...ofVersions(`/apis/${group}`, group)]);
  return ["/api", ...ofVersions("/api", ""), "/apis", "/apis/", ...ofGroups];
}

function onlyGet({ request }: RequestContext): void {
  if (request.method !== "GET") throw methodNotAllowed();
}

function root(core: ServerCore, documents: DocumentCache, context: RequestContext, isCore: boolean): HttpResponse {
  const wanted = aggregatedVersion(headerOf(context.request, "accept"));
  const name = isCore ? "api" : "apis";
  if (wanted === undefined) {
    const document = documents.get(name, (registry) =>
      isCore ? coreVersions(registry, core.serverAddress) : groupList(registry),
    );
    return respond(context, document, isCore);
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
  const isCustom = core.registry.isCustomGroup(group);
  if (!core.registry.hasVersion(group, name)) {
    if (isCustom) return pageNotFound();
    throw routeNotFound();
  }
  if (!isCustom) onlyGet(context);
  return respond(
    context,
    documents.get(`version ${group}/${name}`, (registry) => resourceList(registry, group, name)),
    !isCustom,
  );
}

/** The version of the aggregated document, if the client accepts one. It wins over other accepted types. */
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

function respond(context: RequestContext, { value }: CachedDocument, hasRouter: boolean): HttpResponse {
  const rules = { allowsProtobuf: true, allowsTransform: false, hasRouter };
  return respondWithValue(context, negotiate(context, rules), value);
}

function respondTagged({ request }: RequestContext, document: CachedDocument, contentType: string): HttpResponse {
  const common = { "cache-control": "public", vary: "Accept" };
  const headers = { ...common, "content-type": contentType };
  // A client in this process needs no entity tag, which would require the encoded text.
  if (request.direct) return { status: 200, headers, body: { kind: "object", value: document.value } };
  const etag = `"${document.etag}"`;
  if (headerOf(request, "if-none-match") === etag) {
    return { status: 304, headers: { ...common, etag }, body: { kind: "bytes", bytes: new Uint8Array(0) } };
  }
  return { status: 200, headers: { ...headers, etag }, body: { kind: "bytes", bytes: document.bytes } };
}
