// Ownership of the replica count across the scale subresource, whose objects have their own version
// and path for it. Upstream: k8s.io/apimachinery pkg/util/managedfields/scalehandler.go

import type { ManagedFieldsEntry } from "#api/meta.ts";
import { difference, emptySet, hasPath, setOf } from "./field-set.ts";
import { decodeOwners, encodeOwners, type Owner } from "./owners.ts";

/** By apiVersion of the main resource: the path keys of its replica count, undefined if that version has no scale. */
export type ReplicaPaths = Readonly<Record<string, readonly string[] | undefined>>;

const scaleVersion = "autoscaling/v1";
const scalePath = ["f:spec", "f:replicas"];
const scaleSet = setOf(scalePath);

/** The owners for the Scale object, from the owners of the main resource. */
export function toScaleFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicaPaths,
): ManagedFieldsEntry[] {
  const owners = new Map<string, Owner>();
  for (const [id, owner] of decodeOwners(parent)) {
    const path = paths[owner.apiVersion];
    if (path !== undefined && hasPath(owner.set, path)) {
      owners.set(id, { ...owner, apiVersion: scaleVersion, set: scaleSet });
    }
  }
  return encodeOwners(owners);
}

/** The owners of the main resource after a write to its scale. `apiVersion`: that of the main resource. */
export function fromScaleFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicaPaths,
  apiVersion: string,
): ManagedFieldsEntry[] {
  const before = decodeOwners(parent);
  const scaled = decodeOwners(scale);
  const owners = new Map<string, Owner>();
  for (const [id, owner] of before) {
    if (!Object.hasOwn(paths, owner.apiVersion)) continue;
    const path = paths[owner.apiVersion];
    if (path === undefined || !hasPath(owner.set, path) || scaled.delete(id)) {
      owners.set(id, owner);
      continue;
    }
    const set = difference(owner.set, setOf(path));
    if (set !== emptySet) owners.set(id, { ...owner, set });
  }
  const path = paths[apiVersion] ?? [];
  for (const [id, owner] of scaled) {
    if (!hasPath(owner.set, scalePath)) continue;
    owners.set(id, { ...owner, apiVersion, set: setOf(path), time: before.get(id)?.time });
  }
  return encodeOwners(owners);
}
