// Strategic merge patch as the API server applies it: maps merge, lists merge by key if the schema defines one, and
// directives ($patch, $retainKeys, $setElementOrder/x, $deleteFromPrimitiveList/x) express what merging alone cannot.
// Inputs may be frozen; unchanged parts are shared with the result.
// Upstream: k8s.io/apimachinery pkg/util/strategicpatch/patch.go, mergeMap and below.

import type { Schema } from "#api/schema.ts";
import { newBadRequest } from "#api/status-error.ts";
import { goFormat, goType } from "./go-format.ts";
import {
  deepEqual,
  guardDepth,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  jsonKind,
  own,
  setOwn,
} from "./json-value.ts";
import {
  badArgument,
  badDirective,
  badPrimitiveList,
  badRetainKeys,
  badSetElementOrder,
  noMergeKey,
  PatchError,
  patchApiError,
} from "./patch-errors.ts";
import { kindOf, listMeta, objectMeta, type PatchMeta } from "./patch-meta.ts";
import {
  directiveKey,
  elementKind,
  mergeKeyOf,
  orderMerged,
  setElementOrderPrefix,
  validateSetElementOrder,
} from "./strategic-lists.ts";

export const deletePrimitivesPrefix = "$deleteFromPrimitiveList";
export const retainKeysKey = "$retainKeys";

export interface MergeOptions {
  /** The server executes directives; a client that joins two patches keeps them. */
  readonly carryOut: boolean;
}

/** Applies a decoded patch body to an object of a built-in kind. Throws ApiError 400, 422 or 500. */
export function applyStrategicMergePatch(original: JsonObject, patch: unknown, schema: Schema): JsonObject {
  if (!isObject(patch)) {
    if (patch === null) return original;
    throw newBadRequest(`json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`);
  }
  try {
    return guardDepth(() => mergeMap(original, patch, schema, { carryOut: true }));
  } catch (error) {
    throw error instanceof PatchError ? patchApiError(error) : error;
  }
}

export function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema, options: MergeOptions): JsonObject {
  const directive = own(patch, directiveKey);
  if (directive !== undefined) return replaceOrDelete(directive, patch);
  const merged: Record<string, unknown> = { ...original };
  const rest = new Map(Object.entries(patch));
  retainKeys(merged, rest, options);
  mergeOrderedLists(merged, rest, schema, options);
  for (const [key, value] of rest) mergeField(merged, key, value, schema, options);
  return sameMembers(original, merged) ? original : merged;
}

function replaceOrDelete(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw badDirective(directive, patch);
  const { [directiveKey]: _, ...replacement } = patch;
  return replacement;
}

function sameMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

/** $retainKeys removes all other keys, and must name all keys that the patch sets. */
function retainKeys(merged: Record<string, unknown>, patch: Map<string, unknown>, options: MergeOptions): void {
  const retained = patch.get(retainKeysKey);
  if (retained === undefined) return;
  patch.delete(retainKeysKey);
  if (!options.carryOut) {
    const known = own(merged, retainKeysKey);
    if (known !== undefined && !deepEqual(known, retained)) {
      const lists = `${goFormat(known)} and ${goFormat(retained)}`;
      throw new PatchError(`${lists} are not deep equal: this may happen when calculating the 3-way diff patch`);
    }
    merged[retainKeysKey] = retained;
    return;
  }
  if (!isArray(retained)) throw badRetainKeys();
  const keys = new Set(retained);
  for (const [key, value] of patch) {
    const isDirective = key.startsWith(deletePrimitivesPrefix) || key.startsWith(setElementOrderPrefix);
    if (value !== null && !isDirective && !keys.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(merged)) {
    if (!keys.has(key)) delete merged[key];
  }
}

/** Merges the lists with a $setElementOrder, and removes them from the patch. */
function mergeOrderedLists(
  merged: Record<string, unknown>,
  patch: Map<string, unknown>,
  schema: Schema,
  options: MergeOptions,
): void {
  for (const [directive, order] of [...patch]) {
    if (!directive.startsWith(setElementOrderPrefix)) continue;
    if (!options.carryOut) {
      const known = own(merged, directive);
      if (known !== undefined && !deepEqual(known, order)) throw badSetElementOrder();
      if (known === undefined) setOwn(merged, directive, order);
    }
    patch.delete(directive);
    if (!isArray(order)) throw badArgument("[]interface {}", order);
    const key = fieldOfDirective(directive, setElementOrderPrefix, badSetElementOrder);
    const live = optionalList(own(merged, key));
    const patchList = optionalList(patch.get(key));
    const meta = listMeta(schema, key);
    validateSetElementOrder(patchList ?? [], order, meta.mergeKey);
    if (live === undefined && patchList === undefined) continue;
    const contents = mergeContents(live, patchList, meta, options);
    const kind = elementKind(live ?? [], patchList ?? []);
    setOwn(merged, key, orderMerged(contents, order, live ?? [], meta.mergeKey, kind));
    patch.delete(key);
  }
}

function mergeContents(
  live: JsonArray | undefined,
  patch: JsonArray | undefined,
  meta: PatchMeta,
  options: MergeOptions,
): JsonArray {
  if (patch === undefined) return live ?? [];
  if (live === undefined) return withoutDirectives(patch) as JsonArray;
  return meta.strategy === "merge" ? mergeList(live, patch, meta, false, options) : patch;
}

function optionalList(value: unknown): JsonArray | undefined {
  if (value === undefined || isArray(value)) return value;
  throw badArgument("[]interface {}", value);
}

function fieldOfDirective(directive: string, prefix: string, malformed: () => PatchError): string {
  const slash = directive.indexOf("/");
  if (slash < 0 || directive.slice(0, slash) !== prefix) throw malformed();
  return directive.slice(slash + 1);
}

function mergeField(
  merged: Record<string, unknown>,
  name: string,
  value: unknown,
  schema: Schema,
  options: MergeOptions,
): void {
  const isDeleteList = name.startsWith(deletePrimitivesPrefix);
  if (isDeleteList && !options.carryOut) {
    setOwn(merged, name, value);
    return;
  }
  const key = (isDeleteList && fieldOfDirective(name, deletePrimitivesPrefix, badPrimitiveList)) || name;
  if (value === null) {
    delete merged[key];
    if (options.carryOut) return;
  }
  const live = own(merged, key);
  if (isObject(live) && isObject(value)) {
    const meta = objectMeta(schema, key);
    setOwn(merged, key, meta.strategy === "replace" ? value : mergeMap(live, value, meta.schema, options));
  } else if (isArray(live) && isArray(value)) {
    const meta = listMeta(schema, key);
    const merges = meta.strategy === "merge" || isDeleteList;
    setOwn(merged, key, merges ? mergeList(live, value, meta, isDeleteList, options) : value);
  } else if (!isDeleteList || (goType(live) === goType(value) && typeof value !== "object")) {
    const plain = withoutDirectives(options.carryOut ? withoutNulls(value) : value);
    if (plain === undefined) delete merged[key];
    else setOwn(merged, key, plain);
  }
}

function withoutNulls(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setOwn(out, key, withoutNulls(value[key]));
  }
  return out;
}

/** Removes every object with $patch; undefined if that is the value itself. */
function withoutDirectives(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directiveKey)) return undefined;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const plain = withoutDirectives(value[key]);
    if (plain !== undefined) setOwn(out, key, plain);
  }
  return out;
}

function mergeList(
  live: JsonArray,
  patch: JsonArray,
  meta: PatchMeta,
  isDeleteList: boolean,
  options: MergeOptions,
): JsonArray {
  if (live.length === 0 && patch.length === 0) return live;
  const kind = elementKind(live, patch);
  if (kind === "scalar") {
    if (options.carryOut && isDeleteList) {
      const deleted = new Set(patch);
      return live.filter((element) => !deleted.has(element));
    }
    const merged = [...new Set([...live, ...patch])];
    return settle(live, orderMerged(merged, patch, live, meta.mergeKey, kind));
  }
  if (meta.mergeKey === "") throw new PatchError(`cannot merge lists without merge key for ${kindOf(meta.schema)}`);
  const [base, additions] = applyElementDirectives(live, patch as readonly JsonObject[], meta.mergeKey);
  const merged = mergeElements(base, additions, meta, options);
  return settle(live, orderMerged(merged, additions, base, meta.mergeKey, kind));
}

const settle = (before: JsonArray, after: JsonArray): JsonArray =>
  before.length === after.length && before.every((element, i) => element === after[i]) ? before : after;

/** Executes $patch elements; returns the list to merge into and the elements to merge. */
function applyElementDirectives(
  live: JsonArray,
  patch: readonly JsonObject[],
  mergeKey: string,
): [JsonArray, readonly JsonObject[]] {
  const additions: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const element of patch) {
    const directive = own(element, directiveKey);
    if (directive === undefined) additions.push(element);
    else if (directive === "delete") {
      const key = own(element, mergeKey);
      if (key === undefined) throw noMergeKey(element, mergeKey);
      deleted.add(key);
    } else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw new PatchError("merging lists cannot yet be specified in the patch");
    else throw badDirective(directive, element);
  }
  if (replaces) return [additions, []];
  const kept = deleted.size === 0 ? live : live.filter((element) => !deleted.has(own(element as JsonObject, mergeKey)));
  return [kept, additions];
}

function mergeElements(
  base: JsonArray,
  additions: readonly JsonObject[],
  meta: PatchMeta,
  options: MergeOptions,
): JsonArray {
  const merged = [...base];
  const places = new Map<unknown, number>();
  merged.forEach((element, i) => {
    const key = own(element as JsonObject, meta.mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, i);
  });
  for (const addition of additions) {
    const key = mergeKeyOf(addition, meta.mergeKey);
    const place = places.get(key);
    if (place === undefined) places.set(key, merged.push(addition) - 1);
    else merged[place] = mergeMap(merged[place] as JsonObject, addition, meta.schema, options);
  }
  return merged;
}
