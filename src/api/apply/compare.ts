// The changes between two objects of one type, as sets of fields. Identical subtrees are skipped, so an update that
// shares most of the stored object costs little. The walk validates the new object and throws TypedError at the first
// error. Deviation: the content of atomic lists and maps is not validated; decoding and validation did that.
// Upstream: structured-merge-diff typed/compare.go

import { deepEqual, isArray, isObject, type JsonArray, type JsonObject } from "#api/patch/json-value.ts";
import { type Atom, type AtomKind, kindFor, type ListAtom, type MapAtom, type ScalarType } from "./atoms.ts";
import { asMember, type FieldSet, LEAF, sortKeys, union } from "./field-set.ts";
import { elementKey, failTyped, fieldAtom, listError, mapError, scalarError, TypedError } from "./typed-value.ts";

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

const same: Comparison = { removed: LEAF, modified: LEAF, added: LEAF };

export function compare(atom: Atom, before: unknown, after: unknown): Comparison {
  const delta = before === after ? undefined : compareValues(atom, before, after);
  if (delta === undefined) return same;
  const sorted = (tree: FieldSet | undefined): FieldSet => (tree === undefined ? LEAF : sortTree(tree));
  return { removed: sorted(delta.removed), modified: sorted(delta.modified), added: sorted(delta.added) };
}

/** Differences below one node; undefined parts are empty. */
interface Delta {
  removed?: FieldSet;
  modified?: FieldSet;
  added?: FieldSet;
}
type Part = keyof Delta;

const leafDeltas: Readonly<Record<Part, Delta>> = {
  removed: { removed: LEAF },
  modified: { modified: LEAF },
  added: { added: LEAF },
};

/** Undefined means absent, and in the result "no difference". */
function compareValues(atom: Atom, before: unknown, after: unknown): Delta | undefined {
  if (before === after) return undefined;
  if (after === undefined) return compareAs(kindFor(atom, before), atom, before, after);
  const kind = kindFor(atom, after);
  const error =
    kind === "map"
      ? mapError(after)
      : kind === "list"
        ? listError(after)
        : scalarError(atom.scalar as ScalarType, after);
  if (error !== undefined) failTyped(error);
  const delta = compareAs(kind, atom, before, after);
  if (before === undefined) return delta;
  const former = kindFor(atom, before);
  return former === kind ? delta : mergeDeltas(compareAs(former, atom, before, after), delta);
}

function compareAs(kind: AtomKind, atom: Atom, before: unknown, after: unknown): Delta | undefined {
  if (kind === "scalar") return compareLeaves(before, after);
  return kind === "list"
    ? compareLists(atom.list as ListAtom, before, after)
    : compareMaps(atom.map as MapAtom, before, after);
}

function compareLeaves(before: unknown, after: unknown): Delta | undefined {
  if (before === undefined) return leafDeltas.added;
  if (after === undefined) return leafDeltas.removed;
  return deepEqual(before, after) || isSameDouble(before, after) ? undefined : leafDeltas.modified;
}

/** An integer and a double are compared as doubles; only a double beyond 2^53 needs this. */
const isSameDouble = (a: unknown, b: unknown): boolean =>
  (typeof a === "bigint" && typeof b === "number" && Number(a) === b) ||
  (typeof a === "number" && typeof b === "bigint" && a === Number(b));

function compareLists(list: ListAtom, before: unknown, after: unknown): Delta | undefined {
  const left = isArray(before) ? before : [];
  const right = isArray(after) ? after : [];
  if (!list.associative || (left.length === 0 && right.length === 0)) return compareLeaves(before, after);
  const delta: Delta = {};
  compareElements(list, left, right, delta);
  return selfMembership(delta, before, after);
}

function compareElements(list: ListAtom, left: JsonArray, right: JsonArray, delta: Delta): void {
  if (left.length === right.length && left.every((element, i) => isUnchanged(list.element, element, right[i]))) return;
  const before = byKey(list, left);
  const after = byKey(list, right);
  for (const [key, olds] of before) attach(delta, key, compareTwins(list.element, olds, after.get(key) ?? []));
  for (const [key, news] of after) if (!before.has(key)) attach(delta, key, compareTwins(list.element, [], news));
}

/** Equal elements in equal places need no keys. */
const isUnchanged = (atom: Atom, before: unknown, after: unknown): boolean =>
  before === after || compareValues(atom, before, after) === undefined;

function byKey(list: ListAtom, elements: JsonArray): Map<string, unknown[]> {
  const index = new Map<string, unknown[]>();
  for (const [i, element] of elements.entries()) {
    const key = elementKeyAt(list, element, i);
    const twins = index.get(key);
    if (twins === undefined) index.set(key, [element]);
    else twins.push(element);
  }
  return index;
}

function elementKeyAt(list: ListAtom, element: unknown, index: number): string {
  try {
    return elementKey(list, element);
  } catch (error) {
    if (error instanceof TypedError) failTyped(`element ${index}: ${error.message}`);
    throw error;
  }
}

/** Elements with the same key are owned together, without their fields. */
function compareTwins(element: Atom, olds: readonly unknown[], news: readonly unknown[]): Delta | undefined {
  if (olds.length <= 1 && news.length <= 1) return compareValues(element, olds[0], news[0]);
  if (olds.length >= 2 && news.length >= 2) return deepEqual(olds, news) ? undefined : leafDeltas.modified;
  return olds.length >= 2
    ? mergeDeltas(news.length > 0 ? compareValues(element, undefined, news[0]) : undefined, leafDeltas.removed)
    : mergeDeltas(olds.length > 0 ? compareValues(element, olds[0], undefined) : undefined, leafDeltas.added);
}

function compareMaps(map: MapAtom, before: unknown, after: unknown): Delta | undefined {
  const left = isObject(before) ? before : undefined;
  const right = isObject(after) ? after : undefined;
  if (map.atomic || (isEmpty(left) && isEmpty(right))) return compareLeaves(before, after);
  const delta: Delta = {};
  let shared = 0;
  if (right !== undefined) {
    for (const key of Object.keys(right)) {
      const old = left === undefined ? undefined : member(left, key);
      if (old !== undefined) shared++;
      const value = right[key];
      if (old !== value) attachField(delta, key, compareValues(fieldAtom(map, key), old, value));
    }
  }
  if (left !== undefined) {
    const keys = Object.keys(left);
    if (keys.length > shared) {
      for (const key of keys) {
        if (right !== undefined && Object.hasOwn(right, key)) continue;
        attachField(delta, key, compareValues(fieldAtom(map, key), left[key], undefined));
      }
    }
  }
  return selfMembership(delta, before, after);
}

function isEmpty(object: JsonObject | undefined): boolean {
  for (const _ in object) return false;
  return true;
}

/** An own member. Inherited members of Object.prototype are functions, which JSON does not have, or __proto__. */
function member(object: JsonObject, key: string): unknown {
  const value = object[key];
  if (typeof value === "function" || key === "__proto__") return Object.hasOwn(object, key) ? object[key] : undefined;
  return value;
}

/** A container that was added or removed is itself a changed field. */
function selfMembership(delta: Delta, before: unknown, after: unknown): Delta | undefined {
  if (before === undefined) delta.added = asMember(delta.added ?? LEAF);
  else if (after === undefined) delta.removed = asMember(delta.removed ?? LEAF);
  return isSame(delta) ? undefined : delta;
}

const isSame = (delta: Delta): boolean =>
  delta.added === undefined && delta.modified === undefined && delta.removed === undefined;

function attachField(delta: Delta, name: string, child: Delta | undefined): void {
  if (child !== undefined) attach(delta, `f:${name}`, child);
}

function attach(delta: Delta, key: string, child: Delta | undefined): void {
  if (child === undefined) return;
  if (child.added !== undefined) put(delta, "added", key, child.added);
  if (child.modified !== undefined) put(delta, "modified", key, child.modified);
  if (child.removed !== undefined) put(delta, "removed", key, child.removed);
}

function put(delta: Delta, part: Part, key: string, node: FieldSet): void {
  const tree = delta[part];
  if (tree === undefined) delta[part] = { [key]: node };
  else (tree as Record<string, FieldSet>)[key] = node;
}

function mergeDeltas(a: Delta | undefined, b: Delta | undefined): Delta | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const delta: Delta = {};
  for (const part of ["removed", "modified", "added"] as const) {
    const [left, right] = [a[part], b[part]];
    const both = left === undefined ? right : right === undefined ? left : unionAsNodes(left, right);
    if (both !== undefined) delta[part] = both;
  }
  return delta;
}

/** Union of two nodes rather than of two whole sets: here LEAF is a member, not the empty set. */
const unionAsNodes = (a: FieldSet, b: FieldSet): FieldSet => union({ n: a }, { n: b }).n as FieldSet;

function sortTree(tree: FieldSet): FieldSet {
  if (tree === LEAF) return LEAF;
  const mutable = tree as Record<string, FieldSet>;
  for (const key of Object.keys(mutable)) mutable[key] = sortTree(mutable[key] as FieldSet);
  return sortKeys(mutable);
}
