// The owners of an object's fields: decoded managedFields. Owners and their entries are immutable, so an unchanged
// entry is neither decoded nor encoded again.
// Upstream: k8s.io/apimachinery pkg/util/managedfields/internal/managedfields.go

import { goJson, goQuote } from "#api/go-text.ts";
import type { ManagedFieldsEntry } from "#api/meta.ts";
import { timeOrUndefined } from "#api/time.ts";
import { type FieldSet, LEAF, union } from "./field-set.ts";
import { decodeFieldSet, rememberSet } from "./fields-v1.ts";

export interface Owner {
  /** Manager, operation and endpoint: the identity of an owner. */
  readonly id: string;
  readonly manager: string;
  readonly subresource: string;
  readonly applied: boolean;
  readonly apiVersion: string;
  readonly set: FieldSet;
  readonly time: string | undefined;
}

export type Owners = ReadonlyMap<string, Owner>;

const owners = new WeakMap<ManagedFieldsEntry, Owner>();
const entries = new WeakMap<Owner, ManagedFieldsEntry>();

/** Throws for a malformed entry, with upstream's text if it is part of an answer. */
export function decodeOwners(managedFields: readonly ManagedFieldsEntry[] | undefined): Map<string, Owner> {
  const decoded = new Map<string, Owner>();
  for (const [i, entry] of (managedFields ?? []).entries()) {
    const owner = owners.get(entry) ?? decodeEntry(entry, i);
    decoded.set(owner.id, owner);
  }
  return decoded;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): Owner {
  const { operation, apiVersion = "", fieldsType = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
  if (apiVersion === "") throw new Error("apiVersion must not be empty");
  if (fieldsType === "") throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new Error(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  }
  const set = entry.fieldsV1 === undefined || entry.fieldsV1 === null ? LEAF : decodeFieldSet(entry.fieldsV1);
  const owner: Owner = {
    ...identify(entry.manager ?? "", operation === "Apply", apiVersion, entry.subresource ?? ""),
    set,
    time: entry.time ?? undefined,
  };
  owners.set(entry, owner);
  // Only a canonical entry may be reused unchanged.
  if (set === entry.fieldsV1) entries.set(owner, entry);
  return owner;
}

export type Identity = Pick<Owner, "id" | "manager" | "subresource" | "applied" | "apiVersion">;

/** An applier has the same identity in every version. */
export function identify(manager: string, applied: boolean, apiVersion: string, subresource: string): Identity {
  const id = goJson({
    ...(manager === "" ? {} : { manager }),
    operation: applied ? "Apply" : "Update",
    ...(applied ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
  return { id, manager, subresource, applied, apiVersion };
}

/** The entries of all owners in the order of the API. */
export function encodeOwners(all: Owners): ManagedFieldsEntry[] {
  const sorted = [...all.values()];
  if (sorted.length > 1) sorted.sort(compareOwners);
  return sorted.map(encodeOwner);
}

function encodeOwner(owner: Owner): ManagedFieldsEntry {
  const known = entries.get(owner);
  if (known !== undefined) return known;
  const entry: ManagedFieldsEntry = {
    ...(owner.manager === "" ? {} : { manager: owner.manager }),
    operation: owner.applied ? "Apply" : "Update",
    apiVersion: owner.apiVersion,
    ...(owner.time === undefined ? {} : { time: owner.time }),
    fieldsType: "FieldsV1",
    fieldsV1: rememberSet(owner.set),
    ...(owner.subresource === "" ? {} : { subresource: owner.subresource }),
  };
  owners.set(entry, owner);
  entries.set(owner, entry);
  return entry;
}

/** Appliers first, then by time, manager, version and endpoint. */
function compareOwners(a: Owner, b: Owner): number {
  if (a.applied !== b.applied) return a.applied ? -1 : 1;
  return (
    compareTimes(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** By whole seconds; a missing time comes first. */
function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // Times in this server's format sort as text.
  if (a?.length === 20 && b?.length === 20 && a[19] === "Z" && b[19] === "Z") return a < b ? -1 : 1;
  return secondsOf(a) - secondsOf(b);
}

const secondsOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor((timeOrUndefined(time) ?? 0) / 1000);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const updateOwnersMax = 10;

/**
 * Limits the number of updaters by joining the oldest ones of each version under one name.
 * Upstream: internal/capmanagers.go
 */
export function capUpdaters(all: Map<string, Owner>): void {
  if (all.size <= updateOwnersMax) return;
  const updaters = [...all.values()].filter((owner) => !owner.applied);
  let surplus = updaters.length - updateOwnersMax;
  if (surplus <= 0) return;
  updaters.sort((a, b) => compareTimes(a.time, b.time) || compareText(a.id, b.id));
  const firstOfVersion = new Map<string, Owner>();
  for (const owner of updaters) {
    if (surplus <= 0) return;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, owner);
      continue;
    }
    const bucket = identify("ancient-changes", false, owner.apiVersion, "");
    const pooled = all.get(bucket.id);
    if (pooled === undefined) all.delete(first.id);
    const set = union(owner.set, (pooled ?? first).set);
    all.delete(owner.id);
    all.set(bucket.id, { ...bucket, set, time: owner.time });
    surplus--;
  }
}
