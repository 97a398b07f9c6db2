// Decodes FieldsV1. Sets that this process has built or decoded before are recognised by identity, so an entry is
// decoded only once. Upstream: structured-merge-diff fieldpath/serialize.go, FromJSON

import { isObject, type JsonObject } from "#api/patch/json-value.ts";
import { stringifyJson } from "#base/json.ts";
import { asMember, type FieldSet, hasChildren, isMember, LEAF, sortKeys } from "./field-set.ts";
import { canonicalPathKey } from "./path-element.ts";

const known = new WeakMap<object, FieldSet>();

/** Remembers a set that is canonical by construction. */
export function rememberSet(set: FieldSet): FieldSet {
  if (set !== LEAF && !known.has(set)) known.set(set, set);
  return set;
}

/** Throws for invalid FieldsV1. */
export function decodeFieldSet(fields: JsonObject): FieldSet {
  const before = known.get(fields);
  if (before !== undefined) return before;
  const set = decodeChildren(fields);
  if (Object.isFrozen(fields)) known.set(fields, set);
  return rememberSet(set);
}

function decodeChildren(fields: JsonObject): FieldSet {
  const out: Record<string, FieldSet> = {};
  for (const rawKey of Object.keys(fields)) {
    if (rawKey === ".") continue;
    const key = canonicalPathKey(rawKey);
    if (key === undefined) continue;
    const node = decodeNode(fields[rawKey]);
    const twin = out[key];
    out[key] = twin === undefined ? node : mergeTwins(twin, node);
  }
  for (const _ in out) return sortKeys(out);
  return LEAF;
}

/** For two spellings of one element upstream joins the membership and keeps the children of the later one. */
function mergeTwins(first: FieldSet, second: FieldSet): FieldSet {
  const node = hasChildren(second) ? second : first;
  return isMember(first) || isMember(second) ? asMember(node) : node;
}

function decodeNode(value: unknown): FieldSet {
  if (value === null) return LEAF;
  if (!isObject(value)) throw new Error(`expected an object in fieldsV1, got ${stringifyJson(value)}`);
  const children = decodeChildren(value);
  if (children === LEAF) return LEAF;
  return Object.hasOwn(value, ".") ? { ".": LEAF, ...children } : children;
}
