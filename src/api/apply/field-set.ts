// Sets of fields in the form of managedFields (FieldsV1): a tree of path elements where {} is a member and "." marks a
// member with children. Encoding therefore costs nothing, and equal subtrees can be shared. Trees are canonical: frozen
// by convention, every leaf is the one LEAF, keys in upstream's order. At the root, LEAF is the empty set.
// Upstream: sigs.k8s.io/structured-merge-diff fieldpath/set.go; the names are its names.

import { comparePathKeys } from "./path-element.ts";

export interface FieldSet {
  readonly [pathKey: string]: FieldSet;
}

/** A member without children; as a whole set: empty. */
export const LEAF: FieldSet = Object.freeze({});
export const emptySet: FieldSet = LEAF;

const SELF = ".";

export const isMember = (node: FieldSet): boolean => node === LEAF || node[SELF] !== undefined;

/** The same node as a member. */
export function asMember(node: FieldSet): FieldSet {
  return isMember(node) ? node : { [SELF]: LEAF, ...node };
}

/** The children of a node as a separate set. */
export function childrenOf(node: FieldSet): FieldSet {
  if (node[SELF] === undefined) return node;
  const { [SELF]: _, ...children } = node;
  return children;
}

export function hasChildren(node: FieldSet): boolean {
  for (const key in node) if (key !== SELF) return true;
  return false;
}

/** A node from its parts; undefined when it is empty. */
function node(member: boolean, children: Record<string, FieldSet>): FieldSet | undefined {
  for (const _ in children) return member ? { [SELF]: LEAF, ...children } : children;
  return member ? LEAF : undefined;
}

/** Calls visit with each child except ".". */
function forEachChild(set: FieldSet, visit: (key: string, child: FieldSet) => void): void {
  for (const key of Object.keys(set)) if (key !== SELF) visit(key, set[key] as FieldSet);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b === LEAF) return a;
  return a === LEAF ? b : unionTrees(a, b);
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (a === LEAF) return asMember(b);
  return b === LEAF ? asMember(a) : unionTrees(a, b);
}

/** Two non-empty trees; returns `a` itself when `b` adds nothing. */
function unionTrees(a: FieldSet, b: FieldSet): FieldSet {
  let changed: Record<string, FieldSet> | undefined;
  let hasNewKeys = false;
  for (const key of Object.keys(b)) {
    const before = a[key];
    const after = before === undefined ? (b[key] as FieldSet) : unionNodes(before, b[key] as FieldSet);
    if (after === before) continue;
    if (before === undefined) hasNewKeys = true;
    changed ??= { ...a };
    changed[key] = after;
  }
  if (changed === undefined) return a;
  return hasNewKeys ? sortKeys(changed) : changed;
}

export function sortKeys(tree: Record<string, FieldSet>): FieldSet {
  const keys = Object.keys(tree);
  let isSorted = true;
  for (let i = 1; i < keys.length && isSorted; i++) {
    isSorted = comparePathKeys(keys[i - 1] as string, keys[i] as string) < 0;
  }
  if (isSorted) return tree;
  const sorted: Record<string, FieldSet> = {};
  for (const key of keys.sort(comparePathKeys)) sorted[key] = tree[key] as FieldSet;
  return sorted;
}

/** Members of a that are not members of b. A child stays when b has only its parent. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return LEAF;
  if (a === LEAF || b === LEAF) return a;
  return differenceTrees(a, b, differenceNodes) ?? LEAF;
}

/** Like difference, but removes members of b with everything below them. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === LEAF || b === LEAF) return a;
  return differenceTrees(a, b, (x, y) => (isMember(y) ? undefined : recursiveNodes(x, y))) ?? LEAF;
}

function recursiveNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return a === LEAF ? a : differenceTrees(a, b, (x, y) => (isMember(y) ? undefined : recursiveNodes(x, y)));
}

function differenceNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return undefined;
  if (a === LEAF) return isMember(b) ? undefined : a;
  const rest = b === LEAF ? a : differenceTrees(a, b, differenceNodes);
  if (rest === undefined || !isMember(b)) return rest;
  return rest === LEAF ? undefined : node(false, childrenOf(rest));
}

/** Subtracts child by child; the caller handles ".". Returns `a` itself when nothing is removed. */
function differenceTrees(
  a: FieldSet,
  b: FieldSet,
  subtract: (a: FieldSet, b: FieldSet) => FieldSet | undefined,
): FieldSet | undefined {
  let rest: Record<string, FieldSet> | undefined;
  forEachChild(b, (key, other) => {
    const mine = a[key];
    if (mine === undefined) return;
    const left = subtract(mine, other);
    if (left === mine) return;
    rest ??= { ...a };
    if (left === undefined) delete rest[key];
    else rest[key] = left;
  });
  if (rest === undefined) return a;
  const isSelf = rest[SELF] !== undefined;
  return node(isSelf, isSelf ? childrenOf(rest) : rest);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return intersectTrees(a, b) ?? LEAF;
}

function intersectTrees(a: FieldSet, b: FieldSet): Record<string, FieldSet> | undefined {
  let out: Record<string, FieldSet> | undefined;
  forEachChild(a, (key, mine) => {
    const other = b[key];
    if (other === undefined) return;
    const both = mine === other ? mine : node(isMember(mine) && isMember(other), intersectTrees(mine, other) ?? {});
    if (both === undefined) return;
    out ??= {};
    out[key] = both;
  });
  return out;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => b[key] !== undefined && equalSets(a[key] as FieldSet, b[key] as FieldSet));
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const key of path) at = at?.[key];
  return path.length > 0 && at !== undefined && isMember(at);
}

/** The set of the given paths, each a list of path keys: setOf(["f:metadata", "f:labels"]). */
export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  let set = emptySet;
  for (const path of paths) {
    let tree: FieldSet = LEAF;
    for (const key of [...path].reverse()) tree = { [key]: tree };
    set = union(set, tree);
  }
  return set;
}

/** Every member in upstream's order: parents before children, and members before their siblings' children. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): string[][] {
  const paths: string[][] = [];
  forEachChild(set, (key, child) => {
    if (isMember(child)) paths.push([...prefix, key]);
  });
  forEachChild(set, (key, child) => {
    if (child !== LEAF) paths.push(...pathsOf(child, [...prefix, key]));
  });
  return paths;
}
