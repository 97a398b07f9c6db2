// The set of all fields of an object. Upstream: structured-merge-diff typed/tofieldset.go; fieldpath/set.go,
// EnsureNamedFieldsAreMembers; typed/reconcile_schema.go

import { isArray, isObject } from "#api/patch/json-value.ts";
import { type Atom, kindFor, type ListAtom, type MapAtom } from "./atoms.ts";
import { asMember, type FieldSet, hasChildren, isMember, LEAF, sortKeys } from "./field-set.ts";
import { elementKeyOrNone } from "./typed-value.ts";

export function fieldSetOf(atom: Atom, value: unknown): FieldSet {
  const set = nodeOf(atom, value);
  return set === undefined ? LEAF : set;
}

function nodeOf(atom: Atom, value: unknown): FieldSet | undefined {
  const kind = kindFor(atom, value);
  if (kind === "scalar") return LEAF;
  if (kind === "list") {
    const list = atom.list as ListAtom;
    if (!list.associative) return LEAF;
    return isArray(value) ? elementNodes(list, value) : undefined;
  }
  const map = atom.map as MapAtom;
  if (map.atomic) return LEAF;
  return isObject(value) ? fieldNodes(map, value) : undefined;
}

function elementNodes(list: ListAtom, elements: readonly unknown[]): FieldSet | undefined {
  const out: Record<string, FieldSet> = {};
  for (const element of elements) {
    const key = elementKeyOrNone(list, element);
    // Elements with the same key are owned together, without their fields.
    out[key] = out[key] !== undefined ? LEAF : asMember(nodeOf(list.element, element) ?? LEAF);
  }
  return nonEmpty(out);
}

function fieldNodes(map: MapAtom, object: Readonly<Record<string, unknown>>): FieldSet | undefined {
  const out: Record<string, FieldSet> = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    const declared = map.field(name);
    const type = declared ?? map.element;
    const node = type === undefined ? undefined : nodeOf(type, value);
    const isHollow = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isHollow || declared === undefined) out[`f:${name}`] = asMember(node ?? LEAF);
    else if (node !== undefined) out[`f:${name}`] = node;
  }
  return nonEmpty(out);
}

function nonEmpty(tree: Record<string, FieldSet>): FieldSet | undefined {
  for (const _ in tree) return sortKeys(tree);
  return undefined;
}

/** Adds every declared field with members below it as a member. */
export function withNamedFields(set: FieldSet, atom: Atom | undefined): FieldSet {
  let out: Record<string, FieldSet> | undefined;
  for (const key of Object.keys(set)) {
    const before = set[key] as FieldSet;
    if (key === "." || before === LEAF) continue;
    const isField = key.startsWith("f:");
    const declared = isField ? atom?.map?.field(key.slice(2)) : undefined;
    const type = isField ? (declared ?? atom?.map?.element) : key.startsWith("k:") ? atom?.list?.element : undefined;
    const deep = withNamedFields(before, type);
    const after = declared !== undefined && hasChildren(deep) ? asMember(deep) : deep;
    if (after === before) continue;
    out ??= { ...set };
    out[key] = after;
  }
  return out ?? set;
}

const reconciled = new WeakMap<FieldSet, Atom>();

/** Marks a set as built with exactly this type. */
export function markReconciled(set: FieldSet, atom: Atom): FieldSet {
  if (set !== LEAF) reconciled.set(set, atom);
  return set;
}

/** Adapts a set to the current type: a part that became atomic is owned as a whole. */
export function reconcile(set: FieldSet, atom: Atom): FieldSet {
  if (set === LEAF || reconciled.get(set) === atom) return set;
  return markReconciled(
    reconcileChildren(set, (key) => childAtom(atom, key)),
    atom,
  );
}

function childAtom(atom: Atom, key: string): Atom | undefined {
  if (atom.map !== undefined) {
    return (key.startsWith("f:") ? atom.map.field(key.slice(2)) : undefined) ?? atom.map.element;
  }
  return atom.scalar === undefined ? atom.list?.element : undefined;
}

function reconcileChildren(set: FieldSet, typeOf: (key: string) => Atom | undefined): FieldSet {
  let out: Record<string, FieldSet> | undefined;
  for (const key of Object.keys(set)) {
    const before = set[key] as FieldSet;
    const type = key === "." ? undefined : typeOf(key);
    const after = type === undefined ? before : reconcileNode(before, type);
    if (after === before) continue;
    out ??= { ...set };
    out[key] = after;
  }
  return out ?? set;
}

function reconcileNode(node: FieldSet, atom: Atom): FieldSet {
  if (node === LEAF) return node;
  if (atom.map !== undefined) {
    if (atom.map.isDeduced) return node;
    if (atom.map.atomic) return hasChildren(node) || isMember(node) ? LEAF : node;
  } else if (atom.scalar !== undefined) {
    return node;
  } else if (atom.list !== undefined && !atom.list.associative) {
    return LEAF;
  }
  return reconcileChildren(node, (key) => childAtom(atom, key));
}
