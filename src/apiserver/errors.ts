// Errors of the API server itself, with upstream's messages.

import { newGenericServerResponse } from "#api/server-response.ts";
import { type ApiError, bareFailure } from "#api/status-error.ts";

/** No route matches the path. */
export const routeNotFound = (): ApiError => newGenericServerResponse({ code: 404, verb: "" });

/** The path exists but not with this method. */
export const methodNotAllowed = (): ApiError => newGenericServerResponse({ code: 405, verb: "" });

/** The router's error for a Content-Type, before the endpoint is called. */
export const unsupportedRouteMediaType = (): ApiError =>
  newGenericServerResponse({ code: 415, verb: "", serverMessage: "415: Unsupported Media Type" });

/** The requested form does not fit the object. Upstream: pkg/endpoints/handlers/response.go, errNotAcceptable */
export function notAcceptableForm(message: string): ApiError {
  return bareFailure(406, "NotAcceptable", message);
}
