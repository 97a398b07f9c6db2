// Ownership after a write: which owners lose the changed fields, who owns them now, and the merge of an applied
// configuration into the live object. Upstream: structured-merge-diff merge/update.go

import { deepEqual, type JsonObject } from "#api/patch/json-value.ts";
import { type ApplyKind, inVersion, type Versioned } from "./apply-kind.ts";
import { type Comparison, compare } from "./compare.ts";
import { conflictsOf } from "./conflicts.ts";
import { difference, emptySet, type FieldSet, intersection, union } from "./field-set.ts";
import { fieldSetOf, markReconciled, reconcile, withNamedFields } from "./field-set-of.ts";
import { mergeValues, removeFields } from "./merge-values.ts";
import type { Identity, Owner, Owners } from "./owners.ts";
import { whileDoing } from "./typed-value.ts";

/** Adapts all sets to the current types; owners in versions that are no longer served are dropped. */
function reconcileOwners(kind: ApplyKind, live: JsonObject, owners: Owners): Map<string, Owner> {
  const out = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const versioned = inVersion(kind, live, owner.apiVersion);
    if (versioned === undefined) continue;
    out.set(id, withSet(owner, reconcile(owner.set, versioned.atom)));
  }
  return out;
}

export const withSet = (owner: Owner, set: FieldSet): Owner => (set === owner.set ? owner : { ...owner, set });

function filtered(kind: ApplyKind, apiVersion: string, comparison: Comparison): Comparison {
  const filter = kind.resetFields[apiVersion];
  if (filter === undefined) return comparison;
  const { removed, modified, added } = comparison;
  return { removed: filter(removed), modified: filter(modified), added: filter(added) };
}

/**
 * Removes the changed fields from all owners except `self`. Without force, changing a field of another owner throws
 * Conflicts. Changes `owners`, and returns the changes in the version of the request.
 */
function takeChanges(
  kind: ApplyKind,
  before: JsonObject,
  after: JsonObject,
  owners: Map<string, Owner>,
  self: string | undefined,
  force: boolean,
): Comparison {
  const own = filtered(kind, kind.apiVersion, compareObjects(kind.atom, before, after));
  const comparisons = new Map<string, Comparison | undefined>([[kind.apiVersion, own]]);
  const conflicts = new Map<Owner, FieldSet>();
  for (const [id, owner] of owners) {
    if (id === self) continue;
    if (!comparisons.has(owner.apiVersion)) {
      comparisons.set(owner.apiVersion, compareInVersion(kind, before, after, owner.apiVersion));
    }
    const comparison = comparisons.get(owner.apiVersion);
    if (comparison === undefined) {
      owners.delete(id);
      continue;
    }
    const lost = intersection(owner.set, union(comparison.modified, comparison.added));
    if (lost !== emptySet) conflicts.set(owner, lost);
  }
  if (!force && conflicts.size > 0) throw conflictsOf(conflicts);
  for (const [id, owner] of owners) {
    let { set } = owner;
    const lost = conflicts.get(owner);
    if (lost !== undefined) set = difference(set, lost);
    const removed = id === self ? undefined : comparisons.get(owner.apiVersion)?.removed;
    if (removed !== undefined) set = difference(set, removed);
    if (set === emptySet) owners.delete(id);
    else if (set !== owner.set) owners.set(id, { ...owner, set: markReconciledAs(kind, owner.apiVersion, set) });
  }
  return own;
}

const compareObjects = (atom: Versioned["atom"], before: JsonObject, after: JsonObject): Comparison =>
  whileDoing("failed to compare objects", () => compare(atom, before, after));

/** A part of a set that fits its type also fits. */
function markReconciledAs(kind: ApplyKind, apiVersion: string, set: FieldSet): FieldSet {
  return apiVersion === kind.apiVersion ? markReconciled(set, kind.atom) : set;
}

function compareInVersion(
  kind: ApplyKind,
  before: JsonObject,
  after: JsonObject,
  apiVersion: string,
): Comparison | undefined {
  const left = whileDoing("failed to convert old object", () => inVersion(kind, before, apiVersion));
  const right = whileDoing("failed to convert new object", () => inVersion(kind, after, apiVersion));
  if (left === undefined || right === undefined) return undefined;
  return filtered(kind, apiVersion, compareObjects(left.atom, left.object, right.object));
}

/** A write other than apply. Returns the new owners, and the fields that the write owns by its changes. */
export function updateOwners(
  kind: ApplyKind,
  live: JsonObject,
  updated: JsonObject,
  owners: Owners,
): { owners: Map<string, Owner>; changed: FieldSet } {
  const rest = reconcileOwners(kind, live, owners);
  const { modified, added } = takeChanges(kind, live, updated, rest, undefined, true);
  const changed = union(modified, added);
  return { owners: rest, changed: kind.resetFields[kind.apiVersion]?.(changed) ?? changed };
}

/** Merges a configuration into the live object; `object` is undefined if nothing changes. */
export function applyConfiguration(
  kind: ApplyKind,
  live: JsonObject,
  configuration: JsonObject,
  owners: Owners,
  applier: Identity,
  force: boolean,
): { owners: Map<string, Owner>; object: JsonObject | undefined } {
  const rest = reconcileOwners(kind, live, owners);
  const last = rest.get(applier.id);
  const stated = fieldSetOf(kind.atom, configuration);
  const set = kind.resetFields[kind.apiVersion]?.(stated) ?? stated;
  rest.set(applier.id, { ...applier, set: markReconciled(set, kind.atom), time: last?.time });
  const merged = mergeValues(kind.atom, live, configuration) as JsonObject;
  // An applier that applies at least its earlier fields gives nothing up: a set contains all parents of its fields.
  const givesUp = last !== undefined && (last.apiVersion !== kind.apiVersion || difference(last.set, set) !== emptySet);
  const object = givesUp ? whileDoing("failed to prune fields", () => prune(kind, merged, rest, last)) : merged;
  takeChanges(kind, live, object, rest, applier.id, force);
  return { owners: rest, object: deepEqual(live, object) ? undefined : object };
}

/** Removes fields that the applier applied last time and not now, unless another manager owns them. */
function prune(kind: ApplyKind, merged: JsonObject, owners: Owners, last: Owner): JsonObject {
  const inLast = whileDoing("failed to convert merged object to last applied version", () =>
    inVersion(kind, merged, last.apiVersion),
  );
  if (inLast === undefined) return merged;
  const named = withNamedFields(last.set, inLast.atom);
  let pruned = removeFields(inLast.atom, inLast.object, named) as JsonObject;
  pruned = addBackOwned(kind, inLast.object, pruned, last.apiVersion, owners);
  pruned = addBackDangling(kind, inLast, pruned, last);
  return inVersion(kind, pruned, kind.apiVersion)?.object ?? pruned;
}

/** Restores fields that other owners or the new configuration own. Upstream: addBackOwnedItems */
function addBackOwned(
  kind: ApplyKind,
  merged: JsonObject,
  pruned: JsonObject,
  prunedVersion: string,
  owners: Owners,
): JsonObject {
  const managed = new Map<string, FieldSet>();
  for (const owner of owners.values()) {
    managed.set(owner.apiVersion, union(managed.get(owner.apiVersion) ?? emptySet, owner.set));
  }
  // The version of the pruned object comes first: others may need the restored fields for their conversion.
  const versions = [...managed.keys()].sort((a, b) => Number(b === prunedVersion) - Number(a === prunedVersion));
  let whole = merged;
  let rest = pruned;
  for (const version of versions) {
    const left = inVersion(kind, whole, version);
    const right = inVersion(kind, rest, version);
    if (left === undefined) continue;
    whole = left.object;
    if (right === undefined) continue;
    const { atom } = left;
    const keep = union(namedSet(atom, right.object), withNamedFields(managed.get(version) as FieldSet, atom));
    rest = removeFields(atom, whole, difference(namedSet(atom, whole), keep)) as JsonObject;
  }
  return rest;
}

const namedSet = (atom: Versioned["atom"], object: JsonObject): FieldSet =>
  withNamedFields(fieldSetOf(atom, object), atom);

/** Fields that the applier never owned stay. Upstream: addBackDanglingItems */
function addBackDangling(kind: ApplyKind, merged: Versioned, pruned: JsonObject, last: Owner): JsonObject {
  const rest = inVersion(kind, pruned, last.apiVersion);
  if (rest === undefined) return merged.object;
  const { atom, object } = merged;
  const gone = difference(namedSet(atom, object), namedSet(atom, rest.object));
  return removeFields(atom, object, intersection(gone, withNamedFields(last.set, atom))) as JsonObject;
}
