// The errors of a strategic or three-way patch, with upstream's texts.
// Upstream: k8s.io/apimachinery pkg/util/mergepatch; k8s.io/apiserver handlers/patch.go,
// interpretStrategicMergePatchError decides the status.

import { ApiError, newBadRequest } from "#api/status-error.ts";
import { stringifyJson } from "#base/json.ts";
import { goFormat, goString, goType } from "./go-format.ts";
import { isObject, type JsonObject, own, unprocessable } from "./json-value.ts";

/** `status`: the server's answer. 400 and 422 are the client's fault, 500 is upstream's answer for the rest. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly status: 400 | 422 | 500;
  constructor(message: string, status: 400 | 422 | 500 = 500) {
    super(message);
    this.status = status;
  }
}

/** The answer of a server to a patch that cannot be applied. */
export function patchApiError(error: PatchError): ApiError {
  if (error.status === 400) return newBadRequest(error.message);
  if (error.status === 422) return unprocessable(error);
  return new ApiError({ status: "Failure", code: 500, message: error.message }, { cause: error });
}

export const noListOfLists = (): PatchError => new PatchError("lists of lists are not supported", 422);
export const badPrimitiveList = (): PatchError => new PatchError("invalid patch format of primitive list", 400);
export const badRetainKeys = (): PatchError => new PatchError("invalid patch format of retainKeys", 400);
export const badSetElementOrder = (): PatchError => new PatchError("invalid patch format of setElementOrder list", 400);
export const unsupportedStrategicMerge = (): PatchError =>
  new PatchError("strategic merge patch format is not supported", 400);

export function noMergeKey(element: JsonObject, key: string): PatchError {
  return new PatchError(`map: ${goFormat(element)} does not contain declared merge key: ${key}`);
}

export function badArgument(expected: "map[string]interface {}" | "[]interface {}", actual: unknown): PatchError {
  return new PatchError(`expected a ${expected}, but received a ${goType(actual)}`);
}

export function badDirective(directive: unknown, patch: JsonObject): PatchError {
  return new PatchError(`unknown patch type: ${goString(directive)} in map: ${goFormat(patch)}`);
}

/**
 * Both sides changed the same field differently. Deviation: the message contains the two patches as JSON; upstream
 * prints YAML.
 */
export class PatchConflict extends Error {
  override readonly name = "PatchConflict";
  readonly patch: JsonObject;
  readonly changes: JsonObject;
  constructor(patch: JsonObject, changes: JsonObject) {
    super(
      `patch:\n${stringifyJson(patch)}\nconflicts with changes made from original to current:\n${stringifyJson(changes)}\n`,
    );
    this.patch = patch;
    this.changes = changes;
  }
}

/** True while the patch does not change a certain field. */
export type Precondition = (patch: JsonObject) => boolean;

export class PreconditionFailed extends Error {
  override readonly name = "PreconditionFailed";
}

export function requirePreconditions(patch: JsonObject, preconditions: readonly Precondition[]): void {
  if (preconditions.every((holds) => holds(patch))) return;
  throw new PreconditionFailed(`precondition failed for: ${goFormat(patch)}`);
}

export const requireKeyUnchanged =
  (key: string): Precondition =>
  (patch) =>
    !Object.hasOwn(patch, key);

export const requireMetadataKeyUnchanged =
  (key: string): Precondition =>
  (patch) => {
    const metadata = own(patch, "metadata");
    return !isObject(metadata) || !Object.hasOwn(metadata, key);
  };
