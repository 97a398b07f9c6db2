// The three-way strategic patch of kubectl apply: changes from current to modified, deletions from original to
// modified; changes by other clients stay.
// Upstream: k8s.io/apimachinery pkg/util/strategicpatch/patch.go, CreateThreeWayMergePatch Deviation: looking for
// conflicts changes nothing; upstream sorts lists of scalars in the patch on the way.

import type { Schema } from "#api/schema.ts";
import { goFormat, goString } from "./go-format.ts";
import { guardDepth, isArray, isObject, type JsonArray, type JsonObject, own, setOwn } from "./json-value.ts";
import { PatchConflict, PatchError, type Precondition, requirePreconditions } from "./patch-errors.ts";
import { listMeta, objectMeta, type PatchMeta } from "./patch-meta.ts";
import { diffMaps, distinct, sortByText } from "./strategic-diff.ts";
import { directiveKey, elementKind } from "./strategic-lists.ts";
import { mergeMap, retainKeysKey } from "./strategic-merge.ts";

export interface ThreeWayInput {
  /** The configuration that was applied last. */
  readonly original: JsonObject;
  /** The configuration to apply. */
  readonly modified: JsonObject;
  /** The object on the server. */
  readonly current: JsonObject;
  readonly schema: Schema;
  /** Without it, a field that another client changed differently is a PatchConflict. */
  readonly overwrite: boolean;
  readonly preconditions?: readonly Precondition[];
}

export function createThreeWayMergePatch(input: ThreeWayInput): JsonObject {
  const { original, modified, current, schema } = input;
  return guardDepth(() => {
    const delta = diffMaps(current, modified, schema, { setElementOrder: true, ignoreDeletions: true });
    const deletions = diffMaps(original, modified, schema, { setElementOrder: true, ignoreChangesAndAdditions: true });
    const patch = mergeMap(deletions, delta, schema, { carryOut: false });
    requirePreconditions(patch, input.preconditions ?? []);
    if (!input.overwrite) {
      const changes = diffMaps(original, current, schema, {});
      if (objectsConflict(patch, changes, schema)) throw new PatchConflict(patch, changes);
    }
    return patch;
  });
}

function valuesConflict(left: unknown, right: unknown, meta: PatchMeta): boolean {
  if (isObject(left)) {
    if (!isObject(right) || own(left, directiveKey) !== own(right, directiveKey)) return true;
    return meta.strategy !== "replace" && objectsConflict(left, right, meta.schema);
  }
  if (isArray(left)) return !isArray(right) || listsConflict(left, right, meta);
  return left !== right;
}

const scalarMeta: PatchMeta = { schema: {}, strategy: "", retainKeys: false, mergeKey: "" };

function objectsConflict(left: JsonObject, right: JsonObject, schema: Schema): boolean {
  return Object.keys(left).some((key) => {
    if (key === directiveKey || key === retainKeysKey || !Object.hasOwn(right, key)) return false;
    const value = left[key];
    const meta = isArray(value) ? listMeta(schema, key) : isObject(value) ? objectMeta(schema, key) : scalarMeta;
    return valuesConflict(value, right[key], meta);
  });
}

function listsConflict(left: JsonArray, right: JsonArray, meta: PatchMeta): boolean {
  const kind = elementKind(left, right);
  const elementMeta: PatchMeta = { ...scalarMeta, schema: meta.schema };
  if (meta.strategy === "merge") {
    if (kind === "scalar") return false;
    const others = byMergeKey(right, meta.mergeKey);
    const mine = byMergeKey(left, meta.mergeKey);
    return Object.keys(mine).some(
      (key) => Object.hasOwn(others, key) && valuesConflict(mine[key], others[key], elementMeta),
    );
  }
  if (left.length !== right.length) return true;
  const [a, b] =
    kind === "map" ? [left, right] : [sortByText(distinct(left), goFormat), sortByText(distinct(right), goFormat)];
  return a.some((element, i) => valuesConflict(element, b[i], elementMeta));
}

function byMergeKey(list: JsonArray, mergeKey: string): JsonObject {
  const out: Record<string, unknown> = {};
  for (const element of list) {
    const value = own(element as JsonObject, mergeKey);
    if (value === undefined) {
      throw new PatchError(`cannot find merge key \`${mergeKey}\` in merging list element:${goFormat(element)}`);
    }
    setOwn(out, goString(value), element);
  }
  return out;
}
