// API errors are data: a Status with predicates. Servers throw them, clients rebuild them from
// the wire; nobody matches on message text.

import type { Status, StatusCause, StatusReason } from "#api/meta.ts";

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

function hasReason(error: unknown, reason: StatusReason, code?: number): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === reason || (code !== undefined && error.code === code && error.reason === "");
}

export const isNotFound = (error: unknown): boolean => hasReason(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, "AlreadyExists");
export const isConflict = (error: unknown): boolean => hasReason(error, "Conflict", 409);
export const isInvalid = (error: unknown): boolean => hasReason(error, "Invalid", 422);
export const isGone = (error: unknown): boolean => hasReason(error, "Gone", 410);
export const isExpired = (error: unknown): boolean => hasReason(error, "Expired");
export const isUnauthorized = (error: unknown): boolean => hasReason(error, "Unauthorized", 401);
export const isForbidden = (error: unknown): boolean => hasReason(error, "Forbidden", 403);
export const isBadRequest = (error: unknown): boolean => hasReason(error, "BadRequest", 400);
export const isTimeout = (error: unknown): boolean => hasReason(error, "Timeout", 504);
export const isServerTimeout = (error: unknown): boolean => hasReason(error, "ServerTimeout");
export const isInternalError = (error: unknown): boolean => hasReason(error, "InternalError", 500);
export const isTooManyRequests = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === "TooManyRequests" || error.code === 429);

export function hasCause(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.causes.some((cause) => cause.reason === reason);
}

/** A create refused because its namespace is going away: not worth a retry. */
export const isNamespaceTerminating = (error: unknown): boolean => hasCause(error, "NamespaceTerminating");
