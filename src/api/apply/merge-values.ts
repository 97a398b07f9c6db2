// Merges an applied configuration into the live object, and removes fields without an owner. Both inputs may be frozen;
// unchanged parts are shared with the result.
// Upstream: structured-merge-diff typed/merge.go, typed/remove.go

import { isArray, isObject, type JsonArray, type JsonObject, own, setOwn } from "#api/patch/json-value.ts";
import { type Atom, kindFor, type ListAtom, type MapAtom } from "./atoms.ts";
import { type FieldSet, hasChildren, isMember } from "./field-set.ts";
import { elementKey, elementKeyOrNone, failTyped } from "./typed-value.ts";

/** The live value with the applied one merged into it. Undefined means absent. */
export function mergeValues(atom: Atom, live: unknown, applied: unknown): unknown {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  const kind = kindFor(atom, applied);
  if (kind === "list" && atom.list?.associative) return mergeLists(atom.list, live, applied);
  if (kind === "map" && atom.map?.atomic === false) return mergeMaps(atom.map, live, applied);
  return applied;
}

function mergeMaps(map: MapAtom, live: unknown, applied: unknown): unknown {
  const left = isObject(live) ? live : {};
  const right = isObject(applied) ? applied : {};
  const keys = Object.keys(right);
  // Distinguishes null from {} when both are empty.
  if (keys.length === 0) return Object.keys(left).length === 0 ? applied : left;
  let out: Record<string, unknown> | undefined;
  for (const key of keys) {
    const type = map.field(key) ?? map.element;
    const before = own(left, key);
    const after = type === undefined ? right[key] : mergeValues(type, before, right[key]);
    if (after === before) continue;
    out ??= { ...left };
    setOwn(out, key, after);
  }
  return out ?? left;
}

function mergeLists(list: ListAtom, live: unknown, applied: unknown): unknown {
  const left = isArray(live) ? live : [];
  const right = isArray(applied) ? applied : [];
  if (right.length === 0) return left.length === 0 ? applied : left;
  const rightKeys = right.map((element) => elementKey(list, element));
  const rightByKey = new Map(rightKeys.map((key, i) => [key, right[i]]));
  if (rightByKey.size < rightKeys.length) failTyped("duplicate entries for key");
  const leftKeys = left.map((element) => elementKey(list, element));
  const leftByKey = new Map<string, unknown>();
  // Duplicate elements in the live list are not merged.
  leftKeys.forEach((key, i) => {
    leftByKey.set(key, leftByKey.has(key) ? null : left[i]);
  });
  return interleave({ list, left, leftKeys, leftByKey, rightKeys, rightByKey });
}

interface Sides {
  readonly list: ListAtom;
  readonly left: JsonArray;
  readonly leftKeys: readonly string[];
  readonly leftByKey: ReadonlyMap<string, unknown>;
  readonly rightKeys: readonly string[];
  readonly rightByKey: ReadonlyMap<string, unknown>;
}

/**
 * Elements of the applied list keep their order; elements that exist only in the live list stay before the shared
 * element that they preceded.
 */
function interleave(sides: Sides): JsonArray {
  const { list, left, leftKeys, leftByKey, rightKeys, rightByKey } = sides;
  const shared = rightKeys.filter((key) => leftByKey.has(key));
  let nextShared = 0;
  const merged = new Set<string>();
  const out: unknown[] = [];
  const takeRight = (key: string): void => {
    merged.add(key);
    out.push(mergeValues(list.element, leftByKey.get(key), rightByKey.get(key)));
  };
  let l = 0;
  let r = 0;
  while (l < leftKeys.length || r < rightKeys.length) {
    const leftKey = leftKeys[l];
    const rightKey = rightKeys[r];
    if (leftKey !== undefined && rightKey !== undefined) {
      if (leftKey === rightKey) {
        takeRight(leftKey);
        l++;
        r++;
        nextShared++;
        continue;
      }
      if (rightByKey.has(leftKey) && nextShared < shared.length && shared[nextShared] !== leftKey) {
        l++;
        continue;
      }
    }
    if (leftKey !== undefined) {
      if (!rightByKey.has(leftKey)) {
        out.push(left[l++]);
        continue;
      }
      if (merged.has(leftKey)) l++;
    }
    if (rightKey !== undefined) {
      takeRight(rightKey);
      r++;
      if (shared[nextShared] === rightKey) nextShared++;
    }
  }
  return out.length === left.length && out.every((element, i) => element === left[i]) ? left : out;
}

/** The value without the fields of a set. As upstream, a container that loses all fields becomes null. */
export function removeFields(atom: Atom, value: unknown, fields: FieldSet): unknown {
  const kind = kindFor(atom, value);
  if (kind === "scalar") return value;
  if (kind === "list") return isArray(value) ? removeElements(atom.list as ListAtom, value, fields) : null;
  return isObject(value) ? removeMembers(atom.map as MapAtom, value, fields) : null;
}

function removeElements(list: ListAtom, elements: JsonArray, fields: FieldSet): unknown {
  if (elements.length === 0 || !list.associative) return null;
  const out: unknown[] = [];
  for (const element of elements) {
    const node = fields[elementKeyOrNone(list, element)];
    if (node === undefined) out.push(element);
    else if (!isMember(node)) out.push(removeFields(list.element, element, node));
  }
  return out.length > 0 ? out : null;
}

function removeMembers(map: MapAtom, object: JsonObject, fields: FieldSet): unknown {
  const keys = Object.keys(object);
  if (keys.length === 0 || map.atomic) return null;
  const out: Record<string, unknown> = {};
  let kept = 0;
  for (const key of keys) {
    const node = fields[`f:${key}`];
    if (node !== undefined && isMember(node)) continue;
    const type = map.field(key) ?? map.element;
    const below = node !== undefined && hasChildren(node) && type !== undefined;
    setOwn(out, key, below ? removeFields(type, object[key], node) : object[key]);
    kept++;
  }
  return kept > 0 ? out : null;
}
