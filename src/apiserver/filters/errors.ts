// Turns errors of the handlers into answers: API errors into a Status, all others into a 500 and a log line. Every
// request gets its answer here, and is counted.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters

import { QuantitiesTooFarApart } from "#api/quantity.ts";
import { type ApiError, asApiError, newBadRequest, newInternalError, newTimeout } from "#api/status-error.ts";
import { DeadlineExceeded, errorMessage, isAborted } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { encodeBody } from "../body-encoding.ts";
import { representationOfError } from "../representation.ts";
import type { Filter, RequestContext } from "../request-context.ts";
import { StorageWriteFailed } from "../storage/storage.ts";

export function answerErrors(log: Logger): Filter {
  return (next) => async (context, signal) => {
    let response: HttpResponse;
    try {
      response = await next(context, signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      response = respondWithError(context, asFailure(error, log, context));
    }
    context.series?.answered(response.status, context.startedMs);
    return response;
  };
}

function asFailure(error: unknown, log: Logger, { info, request }: RequestContext): ApiError {
  const known = asApiError(error);
  if (known !== undefined) return known;
  if (error instanceof DeadlineExceeded) {
    return newTimeout("request did not complete within requested timeout - context deadline exceeded", 0);
  }
  if (error instanceof QuantitiesTooFarApart) return newBadRequest(error.message);
  log.error(error, "Request failed", { method: request.method, path: info.path });
  return newInternalError(error instanceof StorageWriteFailed ? error.message : errorMessage(error));
}

export function respondWithError(context: RequestContext, { status }: ApiError): HttpResponse {
  const code = status.code ?? 500;
  const body = { ...status, kind: "Status", apiVersion: "v1", metadata: status.metadata ?? {} };
  const response = encodeBody(context, representationOfError(context.request, context.query), code, body);
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  if (retryAfter <= 0) return response;
  return { ...response, headers: { ...response.headers, "retry-after": String(retryAfter) } };
}

/** For paths that no server has. */
export const pageNotFound = (): HttpResponse => plainText(404, "404 page not found\n");

/** An answer of upstream's HTTP library, not of its API. */
export function plainText(status: number, text: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers: {
      "cache-control": "no-cache, private",
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: { kind: "bytes", bytes },
  };
}
