// Refusals that are the API server's own, with upstream's texts.

import { newGenericServerResponse } from "#api/server-response.ts";
import { type ApiError, bareFailure } from "#api/status-error.ts";

/** No route has this path. */
export const routeNotFound = (): ApiError => newGenericServerResponse({ code: 404, verb: "" });

/** The path is known, the method is not one of its own. */
export const methodNotAllowed = (): ApiError => newGenericServerResponse({ code: 405, verb: "" });

/** The router's refusal of a Content-Type, before the endpoint is asked. */
export const unsupportedRouteMediaType = (): ApiError =>
  newGenericServerResponse({ code: 415, verb: "", serverMessage: "415: Unsupported Media Type" });

/** A form that does not fit what is there. Upstream: pkg/endpoints/handlers/response.go, errNotAcceptable */
export function notAcceptableForm(message: string): ApiError {
  return bareFailure(406, "NotAcceptable", message);
}
