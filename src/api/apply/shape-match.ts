// Matches an object against the shape of an earlier one. This is faster than a signature for the long runs of equal
// shapes that a controller creates. A match is exact: two objects that match the same shape have the same fields, list
// keys and empty values.

import { isArray, type JsonObject, own } from "#api/patch/json-value.ts";
import type { Atom, ListAtom, MapAtom } from "./atoms.ts";

/** Null, scalars by type, and values owned as a whole, empty or not. */
type Leaf = "null" | "string" | "number" | "bigint" | "boolean" | "list" | "emptyList" | "map" | "emptyMap";

export type Shape = Leaf | FieldShape | ElementShape | ZeroShape;

interface FieldShape {
  readonly keys: readonly string[];
  readonly children: readonly Shape[];
}

interface ElementShape {
  readonly names: readonly string[];
  /** The key of each element: the values of its key fields, or the element of a set. */
  readonly elements: readonly { readonly key: readonly unknown[]; readonly child: Shape }[];
}

/** A scalar that a new object also has: whether both are equal matters. */
interface ZeroShape {
  readonly type: string;
  readonly zero: unknown;
  readonly isZero: boolean;
}

/** Undefined for a value that does not fit its schema, or has keys that are not scalars. */
export function shapeOf(atom: Atom, zero: unknown, value: unknown): Shape | undefined {
  if (value === null) return "null";
  if (typeof value !== "object") {
    if (atom.scalar === undefined) return undefined;
    if (zero === undefined || zero === null) return typeof value as Leaf;
    return { type: typeof value, zero, isZero: value === zero };
  }
  if (isArray(value)) {
    if (atom.list === undefined) return undefined;
    if (!atom.list.associative) return value.length === 0 ? "emptyList" : "list";
    return elementShape(atom.list, value);
  }
  if (atom.map === undefined) return undefined;
  const object = value as JsonObject;
  if (atom.map.atomic) return Object.keys(object).length === 0 ? "emptyMap" : "map";
  return fieldShape(atom.map, typeof zero === "object" ? (zero as JsonObject | null) : null, object);
}

function fieldShape(map: MapAtom, zero: JsonObject | null, object: JsonObject): Shape | undefined {
  const keys = Object.keys(object);
  const children: Shape[] = [];
  for (const key of keys) {
    const type = map.field(key) ?? map.element;
    const child = type && shapeOf(type, zero === null ? undefined : own(zero, key), object[key]);
    if (child === undefined || key === "__proto__") return undefined;
    children.push(child);
  }
  return { keys, children };
}

function elementShape(list: ListAtom, values: readonly unknown[]): Shape | undefined {
  const elements: ElementShape["elements"][number][] = [];
  for (const value of values) {
    const child = shapeOf(list.element, undefined, value);
    const key = list.keys.length === 0 ? [value] : list.keys.map((name) => own(Object(value), name));
    if (child === undefined || value === null || key.some((part) => typeof part === "object")) return undefined;
    elements.push({ key, child });
  }
  return { names: list.keys, elements };
}

export function matches(shape: Shape, value: unknown): boolean {
  if (typeof shape === "string") return matchesLeaf(shape, value);
  if ("zero" in shape) return typeof value === shape.type && (value === shape.zero) === shape.isZero;
  if (typeof value !== "object" || value === null) return false;
  if ("keys" in shape) return !isArray(value) && matchesFields(shape, value as JsonObject);
  return isArray(value) && matchesElements(shape, value);
}

function matchesLeaf(shape: Leaf, value: unknown): boolean {
  if (typeof value !== "object") return typeof value === shape;
  if (value === null) return shape === "null";
  if (isArray(value)) return shape === (value.length === 0 ? "emptyList" : "list");
  return shape === "map" ? Object.keys(value).length > 0 : shape === "emptyMap" && Object.keys(value).length === 0;
}

function matchesFields(shape: FieldShape, object: JsonObject): boolean {
  const keys = Object.keys(object);
  if (keys.length !== shape.keys.length) return false;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    if (key !== shape.keys[i] || !matches(shape.children[i] as Shape, object[key])) return false;
  }
  return true;
}

function matchesElements(shape: ElementShape, values: readonly unknown[]): boolean {
  const { names, elements } = shape;
  if (values.length !== elements.length) return false;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const { key, child } = elements[i] as ElementShape["elements"][number];
    if (!matches(child, value)) return false;
    if (names.length === 0 && value !== key[0]) return false;
    for (let k = 0; k < names.length; k++) {
      const stated = (value as JsonObject)[names[k] as string];
      if (stated !== key[k]) return false;
    }
  }
  return true;
}
