// Paths that are about the server, not about objects: health, version, discovery, OpenAPI.

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "./core.ts";
import { discoveryHandler } from "./discovery/discovery.ts";
import { openApiHandler } from "./discovery/openapi.ts";
import { openApiV2Handler } from "./discovery/openapi-v2.ts";
import { methodNotAllowed } from "./errors.ts";
import { plainText } from "./filters/errors.ts";
import { healthHandler } from "./health.ts";
import { parseAccept } from "./media-type.ts";
import { respondWithValue } from "./rendering.ts";
import { isRoutable, notAcceptableRoute, PRETTY_JSON } from "./representation.ts";
import { type Handler, headerOf, type RequestContext } from "./request-context.ts";
import { VERSION_INFO } from "./version.ts";

const JSON_ONLY = ["application/json"];

export function nonResourceHandler(core: ServerCore): Handler {
  const handlers = [healthHandler(core), versionOf, discoveryHandler(core), openApiHandler(core), openApiV2Handler];
  return async (context) => {
    for (const handle of handlers) {
      const answer = handle(context);
      if (answer !== undefined) return answer;
    }
    return plainText(404, "404 page not found\n");
  };
}

function versionOf(context: RequestContext): HttpResponse | undefined {
  if (context.info.path !== "/version" && context.info.path !== "/version/") return undefined;
  if (context.request.method !== "GET") throw methodNotAllowed();
  const clauses = parseAccept(headerOf(context.request, "accept"));
  if (clauses.length > 0 && !clauses.some(isRoutable(JSON_ONLY))) throw notAcceptableRoute(JSON_ONLY);
  return respondWithValue(context, PRETTY_JSON, VERSION_INFO);
}
