// /openapi/v3: the index with hashed addresses, and one document for each group version. Made when
// first asked for and whenever the kinds changed.

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { methodNotAllowed } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { headerOf, type RequestContext } from "../request-context.ts";
import { splitPath } from "../request-info.ts";
import { orderedGroups, orderedVersions } from "./discovery-documents.ts";
import { type CachedDocument, DocumentCache } from "./document-cache.ts";
import { addPaths } from "./openapi-paths.ts";
import { OpenApiSchemas } from "./openapi-schemas.ts";

/** Undefined for other paths. */
export function openApiHandler(core: ServerCore): (context: RequestContext) => HttpResponse | undefined {
  const documents = new DocumentCache(core.registry);
  return (context) => {
    const parts = splitPath(context.info.path);
    if (parts[0] !== "openapi" || parts[1] !== "v3") return undefined;
    if (context.request.method !== "GET") throw methodNotAllowed();
    if (parts.length === 2)
      return respond(
        context,
        documents.get("index", (registry) => index(registry, documents)),
      );
    const [group, version, extra] =
      parts[2] === "api" ? ["", parts[3], parts[4]] : [parts[3] ?? "", parts[4], parts[5]];
    const isKnown = version !== undefined && extra === undefined && core.registry.hasVersion(group as string, version);
    return isKnown ? respond(context, documentOf(documents, group as string, version)) : undefined;
  };
}

function index(registry: Registry, documents: DocumentCache): unknown {
  const paths: Record<string, unknown> = {};
  for (const group of ["", ...orderedGroups(registry)]) {
    for (const version of orderedVersions(registry, group)) {
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      // The tag of a document is what it says, so the address changes with it.
      const { etag } = documentOf(documents, group, version);
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${etag}` };
    }
  }
  return { paths };
}

function documentOf(documents: DocumentCache, group: string, version: string): CachedDocument {
  return documents.get(`${group}/${version}`, (registry) => {
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const schemas = new OpenApiSchemas();
    const paths: Record<string, Readonly<Record<string, unknown>>> = {};
    for (const endpoint of registry.endpointsOf(group, version)) addPaths(endpoint, root, schemas, paths);
    return {
      openapi: "3.0.0",
      info: { title: "Kubernetes", version: "1.36" },
      paths,
      components: {
        schemas: schemas.components,
        securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
      },
    };
  });
}

function respond(context: RequestContext, { value, bytes, etag }: CachedDocument): HttpResponse {
  const tag = `"${etag}"`;
  const isCurrent = context.query.text("hash") === etag;
  const headers = {
    "cache-control": isCurrent ? "public, immutable" : "no-cache, private",
    "content-type": "application/json",
    etag: tag,
    vary: "Accept",
  };
  if (headerOf(context.request, "if-none-match") === tag) {
    return { status: 304, headers: { etag: tag, vary: "Accept" }, body: { kind: "bytes", bytes: new Uint8Array(0) } };
  }
  if (context.request.direct) return { status: 200, headers, body: { kind: "object", value } };
  return { status: 200, headers, body: { kind: "bytes", bytes } };
}
