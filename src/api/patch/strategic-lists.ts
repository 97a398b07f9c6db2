// Lists under strategic merge: which elements belong together, and their order. The precedence is $setElementOrder,
// then the order of the patch, then that of the live list.
// Upstream: k8s.io/apimachinery pkg/util/strategicpatch/patch.go

import { goFormat, goType } from "./go-format.ts";
import { isObject, type JsonArray, type JsonObject, own } from "./json-value.ts";
import { badArgument, noListOfLists, noMergeKey, PatchError } from "./patch-errors.ts";

export const directiveKey = "$patch";
export const setElementOrderPrefix = "$setElementOrder";

export type ElementKind = "map" | "scalar";

/** The common type of all elements; lists of lists and mixed lists are refused. */
export function elementKind(...lists: JsonArray[]): ElementKind {
  let first: string | undefined;
  for (const list of lists) {
    for (const element of list) {
      const type = goType(element);
      if (first === undefined) first = type;
      if (first === "[]interface {}") throw noListOfLists();
      if (type !== first || element === null) {
        throw new PatchError(`list element types are not identical: ${goFormat(lists)}`);
      }
    }
  }
  if (first === undefined) throw new PatchError("no elements in any of the given slices");
  return first === "map[string]interface {}" ? "map" : "scalar";
}

export function asObject(value: unknown): JsonObject {
  if (!isObject(value)) throw badArgument("map[string]interface {}", value);
  return value;
}

export function mergeKeyOf(element: unknown, mergeKey: string): unknown {
  const object = asObject(element);
  const value = own(object, mergeKey);
  if (value === undefined) throw noMergeKey(object, mergeKey);
  return value;
}

/** The identity of an element. */
function identity(element: unknown, mergeKey: string, kind: ElementKind): unknown {
  return kind === "map" ? (isObject(element) ? own(element, mergeKey) : undefined) : element;
}

function firstIndices(order: JsonArray, mergeKey: string, kind: ElementKind): ReadonlyMap<unknown, number> {
  const indices = new Map<unknown, number>();
  order.forEach((element, i) => {
    const key = identity(element, mergeKey, kind);
    if (!indices.has(key)) indices.set(key, i);
  });
  return indices;
}

export const isDeletion = (element: unknown): boolean => own(asObject(element), directiveKey) === "delete";

/** Sorts a list by another one; deletions go last. Upstream: normalizeSliceOrder */
export function sortByOrder(list: JsonArray, order: JsonArray, mergeKey: string, kind: ElementKind): unknown[] {
  let sortable = list;
  let deletions: JsonArray = [];
  if (kind === "map") {
    for (const element of [...list, ...order]) mergeKeyOf(element, mergeKey);
    sortable = list.filter((element) => !isDeletion(element));
    deletions = list.filter(isDeletion);
  }
  const indices = firstIndices(order, mergeKey, kind);
  const ranked = sortable.map((element) => ({ element, rank: indices.get(identity(element, mergeKey, kind)) }));
  // Elements that are not in the order have no rank; a stable sort leaves them among their neighbours.
  ranked.sort((a, b) => (a.rank === undefined || b.rank === undefined ? 0 : a.rank - b.rank));
  return [...ranked.map((entry) => entry.element), ...deletions];
}

/** Splits a merged list by whether the given list names the element. */
function partition(merged: JsonArray, by: JsonArray, mergeKey: string): { inside: unknown[]; outside: unknown[] } {
  const kind: ElementKind = mergeKey === "" ? "scalar" : "map";
  const keys = kind === "map" ? merged.map((element) => mergeKeyOf(element, mergeKey)) : merged;
  const odd = kind === "map" ? by.findIndex((element) => !isObject(element)) : -1;
  const known = firstIndices(odd < 0 ? by : by.slice(0, odd), mergeKey, kind);
  const inside: unknown[] = [];
  const outside: unknown[] = [];
  merged.forEach((element, i) => {
    const isNamed = known.has(keys[i]);
    if (!isNamed && odd >= 0) throw new PatchError(`value for key ${odd} is not a map`);
    (isNamed ? inside : outside).push(element);
  });
  return { inside, outside };
}

/**
 * Gives a merged list its final order: named elements in the order of `order`, others in the order of the live list,
 * interleaved by the live list as far as it contains them. Upstream: normalizeElementOrder, mergeSortedSlice
 */
export function orderMerged(
  merged: JsonArray,
  order: JsonArray,
  live: JsonArray,
  mergeKey: string,
  kind: ElementKind,
): unknown[] {
  const { inside, outside } = partition(merged, order, mergeKey);
  const named = sortByOrder(inside, order, mergeKey, kind);
  const others = sortByOrder(outside, live, mergeKey, kind);
  const indices = firstIndices(live, mergeKey, kind);
  const out: unknown[] = [];
  let next = 0;
  for (const element of named) {
    const place = indices.get(identity(element, mergeKey, kind));
    while (next < others.length && place !== undefined) {
      const other = indices.get(identity(others[next], mergeKey, kind));
      if (other === undefined || other >= place) break;
      out.push(others[next++]);
    }
    out.push(element);
  }
  return [...out, ...others.slice(next)];
}

function sameMergeKey(left: unknown, right: unknown, mergeKey: string): boolean {
  asObject(left);
  asObject(right);
  return mergeKeyOf(left, mergeKey) === mergeKeyOf(right, mergeKey);
}

/** The elements of a patch must be in the order of $setElementOrder, except for deletions. */
export function validateSetElementOrder(patch: JsonArray, order: JsonArray, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const kept = mergeKey === "" ? patch : patch.filter((element) => !isDeletion(element));
  let next = 0;
  let at = 0;
  while (next < kept.length && at < order.length) {
    if (isObject(kept[next]) && Object.hasOwn(kept[next] as JsonObject, directiveKey)) {
      next++;
      continue;
    }
    const isSame = mergeKey === "" ? kept[next] === order[at] : sameMergeKey(kept[next], order[at], mergeKey);
    if (isSame) next++;
    at++;
  }
  if (next < kept.length && at >= order.length) {
    const lists = `${goFormat(patch)}\n doesn't match ${setElementOrderPrefix} list:\n${goFormat(order)}`;
    throw new PatchError(`The order in patch list:\n${lists}\n`);
  }
}
