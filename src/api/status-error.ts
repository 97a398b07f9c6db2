// API errors are data: a Status with predicates, and one maker per reason with upstream's texts, codes and details.
// Servers throw them, clients rebuild them from the answer; no code matches on message text.
// Upstream: k8s.io/apimachinery/pkg/api/errors

import { aggregateText, errorBody, errorText, type FieldError } from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { Status, StatusCause, StatusDetails, StatusReason } from "#api/meta.ts";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status;
  constructor(status: Status, options?: { cause?: unknown }) {
    super(status.message ?? `API error ${status.code ?? 0}`, options);
    this.status = status;
  }
  get code(): number {
    return this.status.code ?? 0;
  }
  get reason(): StatusReason {
    return this.status.reason ?? "";
  }
  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }
}

const KNOWN_REASONS: ReadonlySet<string> = new Set<StatusReason>([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
]);

/** The first ApiError in the chain of causes, as errors.As finds it in Go. */
export function asApiError(error: unknown): ApiError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ApiError) return current;
  }
  return undefined;
}

// The code counts only if upstream does not know the reason.
function hasReason(error: unknown, reason: StatusReason, code?: number): boolean {
  const api = asApiError(error);
  if (api === undefined) return false;
  return api.reason === reason || (code !== undefined && api.code === code && !KNOWN_REASONS.has(api.reason));
}

export const isNotFound = (error: unknown): boolean => hasReason(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, "AlreadyExists");
export const isConflict = (error: unknown): boolean => hasReason(error, "Conflict", 409);
export const isInvalid = (error: unknown): boolean => hasReason(error, "Invalid", 422);
export const isGone = (error: unknown): boolean => hasReason(error, "Gone", 410);
export const isExpired = (error: unknown): boolean => hasReason(error, "Expired");
export const isNotAcceptable = (error: unknown): boolean => hasReason(error, "NotAcceptable", 406);
export const isUnsupportedMediaType = (error: unknown): boolean => hasReason(error, "UnsupportedMediaType", 415);
export const isMethodNotSupported = (error: unknown): boolean => hasReason(error, "MethodNotAllowed", 405);
export const isServiceUnavailable = (error: unknown): boolean => hasReason(error, "ServiceUnavailable", 503);
export const isUnauthorized = (error: unknown): boolean => hasReason(error, "Unauthorized", 401);
export const isForbidden = (error: unknown): boolean => hasReason(error, "Forbidden", 403);
export const isBadRequest = (error: unknown): boolean => hasReason(error, "BadRequest", 400);
export const isTimeout = (error: unknown): boolean => hasReason(error, "Timeout", 504);
export const isServerTimeout = (error: unknown): boolean => hasReason(error, "ServerTimeout");
export const isInternalError = (error: unknown): boolean => hasReason(error, "InternalError", 500);
export const isStoreReadError = (error: unknown): boolean => hasReason(error, "StoreReadError");
// For these two the code alone is enough, whatever the reason.
export const isTooManyRequests = (error: unknown): boolean =>
  hasReason(error, "TooManyRequests") || asApiError(error)?.code === 429;
export const isRequestEntityTooLarge = (error: unknown): boolean =>
  hasReason(error, "RequestEntityTooLarge") || asApiError(error)?.code === 413;

export function findCause(error: unknown, reason: string): StatusCause | undefined {
  return asApiError(error)?.causes.find((cause) => cause.reason === reason);
}

export function hasCause(error: unknown, reason: string): boolean {
  return findCause(error, reason) !== undefined;
}

/** A create that was refused because its namespace is terminating: not worth a retry. */
export const isNamespaceTerminating = (error: unknown): boolean => hasCause(error, "NamespaceTerminating");

/** The answer was not a Status: it comes from another HTTP server in between. */
export const isUnexpectedServerError = (error: unknown): boolean => hasCause(error, "UnexpectedServerResponse");

/** A list or get at a version the server has not reached yet. */
export const isResourceVersionTooLarge = (error: unknown): boolean => hasCause(error, "ResourceVersionTooLarge");

/** The seconds that the server asks to wait; undefined when it does not. */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = asApiError(error)?.status;
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return status.reason === "ServerTimeout" || seconds > 0 ? seconds : undefined;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** "deployments.apps", or "pods" for core. */
export function groupResourceText(gr: GroupResource): string {
  return gr.group === "" ? gr.resource : `${gr.resource}.${gr.group}`;
}

export function groupKindText(gk: GroupKind): string {
  return gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
}

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

// Empty values are left out, as Go's omitempty does.
function details(name: string, group: string, kind: string, retryAfterSeconds = 0): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  };
}

export function newNotFound(gr: GroupResource, name: string): ApiError {
  const message = `${groupResourceText(gr)} ${goQuote(name)} not found`;
  return failure(404, "NotFound", message, details(name, gr.group, gr.resource));
}

export function newAlreadyExists(gr: GroupResource, name: string): ApiError {
  const message = `${groupResourceText(gr)} ${goQuote(name)} already exists`;
  return failure(409, "AlreadyExists", message, details(name, gr.group, gr.resource));
}

export function newGenerateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): ApiError {
  const what = `${groupResourceText(gr)} ${goQuote(name)} already exists`;
  const message = `${what}, the server was not able to generate a unique name for the object`;
  return failure(409, "AlreadyExists", message, details(name, gr.group, gr.resource, retryAfterSeconds));
}

export function newUnauthorized(reason = ""): ApiError {
  return failure(401, "Unauthorized", reason === "" ? "not authorized" : reason);
}

export function newForbidden(gr: GroupResource, name: string, cause: string): ApiError {
  const what = groupResourceText(gr);
  let subject = `${what} ${goQuote(name)} is `;
  if (gr.group === "" && gr.resource === "") subject = "";
  else if (name === "") subject = `${what} is `;
  return failure(403, "Forbidden", `${subject}forbidden: ${cause}`, details(name, gr.group, gr.resource));
}

export function newConflict(gr: GroupResource, name: string, cause: string): ApiError {
  const message = `Operation cannot be fulfilled on ${groupResourceText(gr)} ${goQuote(name)}: ${cause}`;
  return failure(409, "Conflict", message, details(name, gr.group, gr.resource));
}

export function newApplyConflict(causes: readonly StatusCause[], message: string): ApiError {
  return failure(409, "Conflict", message, causes.length > 0 ? { causes } : {});
}

export function newGone(message: string): ApiError {
  return failure(410, "Gone", message);
}

export function newExpired(message: string): ApiError {
  return failure(410, "Expired", message);
}

export function newInvalid(gk: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const what = `${groupKindText(gk)} ${goQuote(name)} is invalid`;
  const message = errors.length === 0 ? what : `${what}: ${aggregateText(errors.map(errorText))}`;
  const causes = errors.map((error) => ({ reason: error.type, message: errorBody(error), field: error.field }));
  const subject = details(name, gk.group, gk.kind);
  return failure(422, "Invalid", message, causes.length > 0 ? { ...subject, causes } : subject);
}

export function newBadRequest(reason: string): ApiError {
  return failure(400, "BadRequest", reason);
}

export function newTooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return failure(429, "TooManyRequests", message, details("", "", "", retryAfterSeconds));
}

/** The form for load shedding: a prefix, and no hint when to retry. */
export function newTooManyRequestsError(message: string): ApiError {
  return failure(429, "TooManyRequests", `Too many requests: ${message}`);
}

export function newServiceUnavailable(reason: string): ApiError {
  return failure(503, "ServiceUnavailable", reason);
}

export function newMethodNotSupported(gr: GroupResource, action: string): ApiError {
  const message = `${action} is not supported on resources of kind ${goQuote(groupResourceText(gr))}`;
  return failure(405, "MethodNotAllowed", message, details("", gr.group, gr.resource));
}

export function newServerTimeout(gr: GroupResource, operation: string, retryAfterSeconds: number): ApiError {
  const what = `The ${operation} operation against ${groupResourceText(gr)}`;
  const message = `${what} could not be completed at this time, please try again.`;
  return failure(500, "ServerTimeout", message, details(operation, gr.group, gr.resource, retryAfterSeconds));
}

export function newInternalError(cause: string): ApiError {
  const message = `Internal error occurred: ${cause}`;
  return failure(500, "InternalError", message, { causes: [cause === "" ? {} : { message: cause }] });
}

export function newTimeout(message: string, retryAfterSeconds: number): ApiError {
  return failure(504, "Timeout", `Timeout: ${message}`, details("", "", "", retryAfterSeconds));
}

/** Upstream: k8s.io/apiserver/pkg/storage/errors.go, NewTooLargeResourceVersionError */
export function newResourceVersionTooLarge(minimum: string, current: string, retryAfterSeconds: number): ApiError {
  const message = `Timeout: Too large resource version: ${minimum}, current: ${current}`;
  return failure(504, "Timeout", message, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}

export function newRequestEntityTooLarge(message: string): ApiError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/errors.go */
export function newNotAcceptable(accepted: readonly string[]): ApiError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

export function newUnsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return failure(415, "UnsupportedMediaType", message);
}

/** A failure without details. Upstream answers in this way for errors without a Status: code 500 and no reason. */
export function bareFailure(code: number, reason: string, message: string): ApiError {
  const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message } as const;
  return new ApiError(reason === "" ? { ...failure, code } : { ...failure, reason, code });
}
