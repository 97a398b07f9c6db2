// Strategic merge patches from the difference of two objects. Upstream: k8s.io/apimachinery
// pkg/util/strategicpatch/patch.go, diffMaps and below.

import type { Schema } from "#api/schema.ts";
import { goFormat, goType } from "./go-format.ts";
import {
  deepEqual,
  guardDepth,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  own,
  setOwn,
} from "./json-value.ts";
import { PatchError, type Precondition, requirePreconditions } from "./patch-errors.ts";
import { listMeta, objectMeta, type PatchMeta } from "./patch-meta.ts";
import { directiveKey, elementKind, mergeKeyOf, setElementOrderPrefix, sortByOrder } from "./strategic-lists.ts";
import { deletePrimitivesPrefix, retainKeysKey } from "./strategic-merge.ts";

export interface DiffOptions {
  readonly setElementOrder?: boolean;
  readonly ignoreChangesAndAdditions?: boolean;
  readonly ignoreDeletions?: boolean;
  readonly buildRetainKeys?: boolean;
}

/** The patch that turns `original` into `modified` when applied by the server. Throws PatchError. */
export function createTwoWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  schema: Schema,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  const patch = guardDepth(() => diffMaps(original, modified, schema, { setElementOrder: true }));
  requirePreconditions(patch, preconditions);
  return patch;
}

export function diffMaps(original: JsonObject, modified: JsonObject, schema: Schema, options: DiffOptions): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(modified)) {
    const before = own(original, key);
    const after = modified[key];
    if (before === undefined) {
      if (!options.ignoreChangesAndAdditions) setOwn(patch, key, after);
    } else if (key === directiveKey) {
      diffDirective(before, after, patch);
    } else if (goType(before) !== goType(after)) {
      if (!options.ignoreChangesAndAdditions) setOwn(patch, key, after);
    } else if (isObject(before)) {
      diffObjectField(key, before, after as JsonObject, patch, schema, options);
    } else if (isArray(before)) {
      diffListField(key, before, after as JsonArray, patch, schema, options);
    } else if (before !== after && !options.ignoreChangesAndAdditions) {
      setOwn(patch, key, after);
    }
  }
  if (!options.ignoreDeletions) {
    for (const key of Object.keys(original)) {
      if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
    }
  }
  if (options.buildRetainKeys) addRetainKeys(original, modified, patch);
  return patch;
}

function diffDirective(before: unknown, after: unknown, patch: Record<string, unknown>): void {
  if (typeof before !== "string" || typeof after !== "string") {
    throw new PatchError(`invalid value for special key: ${directiveKey}`);
  }
  if (before !== after) patch[directiveKey] = after;
}

/** $retainKeys is added as soon as something changes or the original has keys that the modified object lacks. */
function addRetainKeys(original: JsonObject, modified: JsonObject, patch: Record<string, unknown>): void {
  const retained = Object.keys(modified).filter((key) => modified[key] !== null);
  const hasMore = Object.keys(original).some((key) => original[key] !== null && !Object.hasOwn(modified, key));
  if (retained.length > 0 && (Object.keys(patch).length > 0 || hasMore)) patch[retainKeysKey] = retained.sort();
}

/** Equal values need no metadata; for others it is required. */
function metaUnlessEqual(before: unknown, after: unknown, lookUp: () => PatchMeta): PatchMeta | undefined {
  try {
    return lookUp();
  } catch (error) {
    if (error instanceof PatchError && deepEqual(before, after)) return undefined;
    throw error;
  }
}

function diffObjectField(
  key: string,
  before: JsonObject,
  after: JsonObject,
  patch: Record<string, unknown>,
  schema: Schema,
  options: DiffOptions,
): void {
  const meta = metaUnlessEqual(before, after, () => objectMeta(schema, key));
  if (meta === undefined) return;
  if (meta.strategy === "replace") {
    if (!options.ignoreChangesAndAdditions) setOwn(patch, key, after);
    return;
  }
  const nested = diffMaps(before, after, meta.schema, { ...options, buildRetainKeys: meta.retainKeys });
  if (Object.keys(nested).length > 0) setOwn(patch, key, nested);
}

function diffListField(
  key: string,
  before: JsonArray,
  after: JsonArray,
  patch: Record<string, unknown>,
  schema: Schema,
  options: DiffOptions,
): void {
  const meta = metaUnlessEqual(before, after, () => listMeta(schema, key));
  if (meta === undefined) return;
  if (meta.strategy !== "merge") {
    if (!options.ignoreChangesAndAdditions && !deepEqual(before, after)) setOwn(patch, key, after);
    return;
  }
  const diff = diffLists(before, after, meta, { ...options, buildRetainKeys: meta.retainKeys });
  if (diff.additions.length > 0) setOwn(patch, key, diff.additions);
  if (diff.deletions.length > 0) patch[`${deletePrimitivesPrefix}/${key}`] = diff.deletions;
  if (diff.order.length > 0) patch[`${setElementOrderPrefix}/${key}`] = diff.order;
}

interface ListDiff {
  readonly additions: JsonArray;
  readonly deletions: JsonArray;
  readonly order: JsonArray;
}

function diffLists(original: JsonArray, modified: JsonArray, meta: PatchMeta, options: DiffOptions): ListDiff {
  if (original.length === 0) {
    return { additions: options.ignoreChangesAndAdditions ? [] : modified, deletions: [], order: [] };
  }
  return elementKind(original, modified) === "map"
    ? diffMapLists(original, modified, meta, options)
    : diffScalarLists(original, modified, meta, options);
}

function diffMapLists(original: JsonArray, modified: JsonArray, meta: PatchMeta, options: DiffOptions): ListDiff {
  const { mergeKey } = meta;
  const changes: JsonObject[] = [];
  const deletions: JsonObject[] = [];
  zipSorted(
    sortByText(original, (element) => mergeKeyText(element, mergeKey)),
    sortByText(modified, (element) => mergeKeyText(element, mergeKey)),
    (element) => goFormat(mergeKeyOf(element, mergeKey)),
    (before, after) => {
      if (before === undefined) {
        if (!options.ignoreChangesAndAdditions) changes.push(after as JsonObject);
      } else if (after === undefined) {
        const key = mergeKeyOf(before, mergeKey);
        if (!options.ignoreDeletions) deletions.push({ [mergeKey]: key, [directiveKey]: "delete" });
      } else {
        const change = diffMaps(before as JsonObject, after as JsonObject, meta.schema, options);
        if (Object.keys(change).length > 0) changes.push({ ...change, [mergeKey]: mergeKeyOf(after, mergeKey) });
      }
    },
  );
  const additions = [...sortByOrder(changes, modified, mergeKey, "map"), ...deletions];
  const orderSame =
    original.length === modified.length &&
    original.every((element, i) => mergeKeyOf(element, mergeKey) === mergeKeyOf(modified[i], mergeKey));
  const wantsOrder =
    (!options.ignoreChangesAndAdditions && (additions.length > 0 || !orderSame)) ||
    (!options.ignoreDeletions && additions.length > 0);
  const order = modified.map((element) => ({ [mergeKey]: (element as JsonObject)[mergeKey] }));
  return { additions, deletions: [], order: options.setElementOrder && wantsOrder ? order : [] };
}

const mergeKeyText = (element: unknown, mergeKey: string): string => goFormat(own(element as JsonObject, mergeKey));

function diffScalarLists(original: JsonArray, modified: JsonArray, meta: PatchMeta, options: DiffOptions): ListDiff {
  const sorted = sortByText(original, goFormat);
  const added: unknown[] = [];
  const deleted: unknown[] = [];
  zipSorted(sorted, sortByText(modified, goFormat), goFormat, (before, after) => {
    if (before === undefined && !options.ignoreChangesAndAdditions) added.push(after);
    if (after === undefined && !options.ignoreDeletions) deleted.push(before);
  });
  const deletions = distinct(deleted);
  // Upstream has sorted the original in place by now, so an unsorted list always counts as reordered.
  const wantsOrder =
    (!options.ignoreDeletions && deletions.length > 0) ||
    (!options.ignoreChangesAndAdditions && !deepEqual(sorted, modified));
  return {
    additions: sortByOrder(added, modified, meta.mergeKey, "scalar"),
    deletions,
    order: options.setElementOrder && wantsOrder ? modified : [],
  };
}

/** Visits two sorted lists in step; elements with equal text meet. */
function zipSorted(
  left: JsonArray,
  right: JsonArray,
  text: (element: unknown) => string,
  visit: (left: unknown, right: unknown) => void,
): void {
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const l = i < left.length ? text(left[i]) : undefined;
    const r = j < right.length ? text(right[j]) : undefined;
    const takeLeft = r === undefined || (l !== undefined && l <= r);
    const takeRight = l === undefined || (r !== undefined && r <= l);
    visit(takeLeft ? left[i] : undefined, takeRight ? right[j] : undefined);
    if (takeLeft) i++;
    if (takeRight) j++;
  }
}

/**
 * Sorts by text like Go's sort with a "not greater" comparison: short lists by insertion, which reverses elements with
 * equal text. In longer lists they keep their order here; Go's order is undefined.
 */
export function sortByText(list: JsonArray, text: (element: unknown) => string): unknown[] {
  const entries = list.map((element) => ({ element, text: text(element) }));
  if (entries.length > 12) {
    entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  } else {
    for (let i = 1; i < entries.length; i++) {
      const entry = entries[i] as { element: unknown; text: string };
      let j = i;
      for (; j > 0 && entry.text <= (entries[j - 1] as { text: string }).text; j--) {
        entries[j] = entries[j - 1] as { element: unknown; text: string };
      }
      entries[j] = entry;
    }
  }
  return entries.map((entry) => entry.element);
}

/** Removes duplicates; as upstream, the last element takes the place of each one found. */
export function distinct(list: JsonArray): unknown[] {
  const out = [...list];
  for (let i = 0; i < out.length; i++) {
    for (let j = i + 1; j < out.length; ) {
      if (out[i] !== out[j]) {
        j++;
        continue;
      }
      const last = out.pop();
      if (j < out.length) out[j] = last;
    }
  }
  return out;
}
