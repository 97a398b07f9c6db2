// JSON Merge Patch (RFC 7386) as the API server and clients use it. Unchanged parts of the document
// are shared with the result. Upstream: gopkg.in/evanphx/json-patch.v4 merge.go;
// k8s.io/apimachinery pkg/util/jsonmergepatch.

import { newBadRequest } from "#api/status-error.ts";
import { deepEqual, guardDepth, isArray, isObject, type JsonObject, own, setOwn } from "./json-value.ts";
import { PatchConflict, type Precondition, requirePreconditions } from "./patch-errors.ts";

/** Applies a decoded patch body. An array replaces the document, other non-objects are a 400. */
export function applyMergePatch(document: JsonObject, patch: unknown): unknown {
  return guardDepth(() => {
    if (isArray(patch)) return pruneNulls(patch);
    if (!isObject(patch)) throw newBadRequest("Invalid JSON Patch");
    return mergeObjects(document, patch);
  });
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...current };
  let changed = false;
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    const before = own(current, key);
    if (value === null) {
      if (before === undefined) continue;
      delete merged[key];
      changed = true;
      continue;
    }
    const after = mergeValue(before, value);
    if (after === before) continue;
    setOwn(merged, key, after);
    changed = true;
  }
  return changed ? merged : current;
}

function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isObject(current)) return current === patch ? current : pruneNulls(patch);
  // As upstream, a list that replaces an object keeps the nulls inside its elements.
  return isObject(patch) ? mergeObjects(current, patch) : patch;
}

/** Drops null members at every depth; null elements of arrays stay. */
function pruneNulls(value: unknown): unknown {
  if (isArray(value)) return value.map(pruneNulls);
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setOwn(out, key, pruneNulls(value[key]));
  }
  return out;
}

/** The merge patch from one object to another. Nulls in `modified` cannot be expressed: applying drops them. */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  return guardDepth(() => diffObjects(original, modified));
}

function diffObjects(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(modified)) {
    const before = own(original, key);
    const after = modified[key];
    if (isObject(before) && isObject(after)) {
      const nested = diffObjects(before, after);
      if (Object.keys(nested).length > 0) setOwn(patch, key, nested);
    } else if (before === undefined || !deepEqual(before, after)) {
      setOwn(patch, key, after);
    }
  }
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
  }
  return patch;
}

/**
 * The patch that kubectl apply sends for kinds without strategic merge: additions and changes from current to
 * modified, deletions from original to modified.
 */
export function createThreeWayJsonMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  return guardDepth(() => {
    const changes = keepNulls(diffObjects(current, modified), false);
    const deletions = keepNulls(diffObjects(original, modified), true);
    if (hasConflicts(changes, deletions)) throw new PatchConflict(changes, deletions);
    const patch = mergeObjects(deletions, changes);
    requirePreconditions(patch, preconditions);
    return patch;
  });
}

/** Either only the nulls of a patch, or all but them. */
function keepNulls(patch: JsonObject, keep: boolean): JsonObject {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (isObject(value) && Object.keys(value).length > 0) {
      const nested = keepNulls(value, keep);
      if (Object.keys(nested).length > 0) setOwn(out, key, nested);
    } else if ((value === null) === keep) {
      setOwn(out, key, value);
    }
  }
  return out;
}

function hasConflicts(left: unknown, right: unknown): boolean {
  if (isObject(left)) {
    if (!isObject(right)) return true;
    return Object.keys(left).some((key) => Object.hasOwn(right, key) && hasConflicts(left[key], right[key]));
  }
  if (isArray(left)) {
    if (!isArray(right) || left.length !== right.length) return true;
    return left.some((item, i) => hasConflicts(item, right[i]));
  }
  return left !== right;
}
