// Paths of the server itself, not of objects: health, version, discovery, OpenAPI, OpenID, and the list of all of them.
// Upstream: k8s.io/apiserver/pkg/server/routes/index.go

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "./core.ts";
import { discoveryHandler, discoveryPaths } from "./discovery/discovery.ts";
import { openApiHandler } from "./discovery/openapi.ts";
import { openApiV2Handler } from "./discovery/openapi-v2.ts";
import { methodNotAllowed } from "./errors.ts";
import { pageNotFound } from "./filters/errors.ts";
import { HEALTH_PATHS, healthHandler } from "./health.ts";
import { respondWithValue } from "./rendering.ts";
import { checkRoute, PRETTY_JSON } from "./representation.ts";
import type { Handler, RequestContext, ServerRequest } from "./request-context.ts";
import { openIdPages } from "./tokens/openid.ts";
import { VERSION_INFO } from "./version.ts";

const INDEX_PATHS: ReadonlySet<string> = new Set(["/", "/index.html"]);

interface Pages {
  /** Undefined for other paths. */
  handle(context: RequestContext): HttpResponse | undefined;
  /** The paths for the list of paths. */
  paths(): readonly string[];
}

/** Returns all metrics, in the form that the request accepts. */
export type MetricsPage = (request: ServerRequest) => HttpResponse;

export function nonResourceHandler(core: ServerCore, metricsPage?: MetricsPage): Handler {
  const openId = openIdPages(core);
  const pages: readonly Pages[] = [
    { handle: healthHandler(core), paths: () => HEALTH_PATHS },
    { handle: versionOf, paths: () => ["/version"] },
    { handle: discoveryHandler(core), paths: () => discoveryPaths(core.registry) },
    { handle: openApiHandler(core), paths: () => ["/openapi/v3", "/openapi/v3/"] },
    { handle: openApiV2Handler(core), paths: () => ["/openapi/v2"] },
    { handle: openId.handle, paths: () => openId.paths },
    ...(metricsPage === undefined ? [] : [metricsPages(metricsPage)]),
  ];
  return async (context) => {
    if (INDEX_PATHS.has(context.info.path)) {
      const paths = pages.flatMap((each) => each.paths()).sort();
      return respondWithValue(context, PRETTY_JSON, { paths });
    }
    for (const { handle } of pages) {
      const answer = handle(context);
      if (answer !== undefined) return answer;
    }
    return pageNotFound();
  };
}

/** Deviation: upstream resets its metrics after a DELETE. */
function metricsPages(page: MetricsPage): Pages {
  return {
    paths: () => ["/metrics"],
    handle: ({ info, request }) => {
      if (info.path !== "/metrics") return undefined;
      if (request.method === "DELETE") throw methodNotAllowed();
      const response = page(request);
      return { ...response, headers: { "cache-control": "no-cache, private", ...response.headers } };
    },
  };
}

function versionOf(context: RequestContext): HttpResponse | undefined {
  if (!/^\/version\/*$/.test(context.info.path)) return undefined;
  if (context.request.method !== "GET") throw methodNotAllowed();
  checkRoute(context.request, "application/json");
  return respondWithValue(context, PRETTY_JSON, VERSION_INFO);
}
