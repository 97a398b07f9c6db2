// Refusals that are the API server's own, with upstream's texts.

import { newGenericServerResponse } from "#api/server-response.ts";
import { ApiError } from "#api/status-error.ts";

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

/** A failure without details. Upstream answers so for errors that are no Status: code 500 and no reason. */
export function bareFailure(code: number, reason: string, message: string): ApiError {
  const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message } as const;
  return new ApiError(reason === "" ? { ...failure, code } : { ...failure, reason, code });
}
