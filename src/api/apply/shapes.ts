// The fields that a create owns, by the shape of the new object. Most creates repeat a shape (the pods of a ReplicaSet,
// the events of a controller), so their set is found by a signature of the object and shared, instead of being built
// and stored each time.

import { isArray, type JsonObject, own } from "#api/patch/json-value.ts";
import { stringifyJson } from "#base/json.ts";
import { RecentMap } from "#base/recent-map.ts";
import type { Atom, ListAtom, MapAtom } from "./atoms.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, union } from "./field-set.ts";
import { markReconciled } from "./field-set-of.ts";
import { rememberSet } from "./fields-v1.ts";
import type { FieldFilter } from "./filters.ts";
import { matches, type Shape, shapeOf } from "./shape-match.ts";
import { stripSet } from "./strip-set.ts";

/** The sets of all kinds, by kind and signature. */
const known = new RecentMap<string, FieldSet>(512);
let kinds = 0;

/** The number of shapes that the next object is compared with before its signature is computed. */
const runsMax = 4;

export class Shapes {
  private readonly kind = kinds++;
  private runs: readonly { readonly shape: Shape; readonly set: FieldSet }[] = [];
  private last: FieldSet | undefined;
  private readonly atom: Atom;
  private readonly zero: JsonObject;
  private readonly filter: FieldFilter | undefined;

  constructor(atom: Atom, zero: JsonObject, filter: FieldFilter | undefined) {
    this.atom = atom;
    this.zero = zero;
    this.filter = filter;
  }

  /** The fields that creating the object owns. Throws TypedError if it does not fit its schema. */
  ownedByCreate(object: JsonObject): FieldSet {
    for (const { shape, set } of this.runs) if (matches(shape, object)) return set;
    const set = this.find(object);
    // The second equal shape in a row begins a run.
    if (set === this.last) this.expect(object, set);
    this.last = set;
    return set;
  }

  private expect(object: JsonObject, set: FieldSet): void {
    const shape = shapeOf(this.atom, this.zero, object);
    if (shape !== undefined) this.runs = [{ shape, set }, ...this.runs.slice(0, runsMax - 1)];
  }

  private find(object: JsonObject): FieldSet {
    const signature = `${this.kind}${signatureOf(this.atom, this.zero, object)}`;
    let set = known.get(signature);
    if (set === undefined) {
      set = this.build(object);
      known.set(signature, set);
    }
    return set;
  }

  private build(object: JsonObject): FieldSet {
    const { modified, added } = compare(this.atom, this.zero, object);
    const changed = union(modified, added);
    const set = difference(this.filter?.(changed) ?? changed, stripSet);
    return rememberSet(markReconciled(set, this.atom));
  }
}

/**
 * Everything about an object that determines its set: keys, list keys, and which values are empty or equal to zero.
 * Texts carry their length, so that different shapes have different signatures.
 */
function signatureOf(atom: Atom, zero: unknown, value: unknown): string {
  if (value === null) return "n";
  if (typeof value !== "object") {
    if (atom.scalar === undefined) return "!";
    return value === zero ? "=" : (SCALARS[typeof value] as string);
  }
  if (isArray(value)) {
    if (atom.list === undefined) return "!";
    return atom.list.associative ? signElements(atom.list, value) : value.length === 0 ? "e" : "a";
  }
  if (atom.map === undefined) return "!";
  const object = value as JsonObject;
  if (atom.map.atomic) return isHollow(object) ? "E" : "A";
  return signFields(atom.map, typeof zero === "object" ? (zero as JsonObject | null) : null, object);
}

/** A value that fits its schema has the same set whatever its type; a misfit must not share that signature. */
const SCALARS: Readonly<Record<string, string>> = { string: "s", number: "d", bigint: "d", boolean: "b" };

function isHollow(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function signFields(map: MapAtom, zero: JsonObject | null, object: JsonObject): string {
  let text = "{";
  for (const key of Object.keys(object)) {
    const type = map.field(key) ?? map.element;
    const zeroValue = zero === null ? undefined : own(zero, key);
    const signature = type === undefined ? "?" : signatureOf(type, zeroValue, object[key]);
    text += `${key.length}:${key}${signature}`;
  }
  return `${text}}`;
}

function signElements(list: ListAtom, elements: readonly unknown[]): string {
  let text = "[";
  for (const element of elements) {
    if (list.keys.length === 0) {
      text += signKey(element);
      continue;
    }
    if (typeof element === "object" && element !== null && !isArray(element)) {
      for (const key of list.keys) text += signKey(own(element as JsonObject, key));
    }
    text += signatureOf(list.element, undefined, element);
  }
  return `${text}]`;
}

function signKey(value: unknown): string {
  if (typeof value === "string") return `"${value.length}:${value}`;
  return typeof value === "object" && value !== null ? `o${stringifyJson(value)}` : `${value};`;
}
