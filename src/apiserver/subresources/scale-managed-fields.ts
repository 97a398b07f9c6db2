// Converts the owners of an object's replicas to owners of the replicas of its Scale, and back.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go

import { difference, hasPath, setOf } from "#api/apply/field-set.ts";
import { decodeOwners, encodeOwners, identify, type Owner } from "#api/apply/owners.ts";
import type { ManagedFieldsEntry } from "#api/meta.ts";

type Entries = readonly ManagedFieldsEntry[] | undefined;

const SCALE_VERSION = "autoscaling/v1";
const SCALE_REPLICAS = ["f:spec", "f:replicas"];

/** `replicas`: the path in the parent, such as ["spec", "replicas"]. */
export function toScaleEntries(parent: Entries, replicas: readonly string[]): ManagedFieldsEntry[] {
  const path = replicas.map((name) => `f:${name}`);
  const owners = [...decodeOwners(parent).values()]
    .filter(({ set }) => hasPath(set, path))
    .map(
      ({ manager, applied, subresource, time }): Owner => ({
        ...identify(manager, applied, SCALE_VERSION, subresource),
        set: setOf(SCALE_REPLICAS),
        time,
      }),
    );
  return encodeOwners(new Map(owners.map((owner) => [owner.id, owner])));
}

/** `apiVersion`: the version of the request. */
export function toParentEntries(
  parent: Entries,
  scale: Entries,
  replicas: readonly string[],
  apiVersion: string,
): ManagedFieldsEntry[] {
  const path = replicas.map((name) => `f:${name}`);
  const ofScale = decodeOwners(scale);
  const ofParent = decodeOwners(parent);
  const merged = new Map<string, Owner>();
  for (const [id, owner] of ofParent) {
    if (!hasPath(owner.set, path) || ofScale.has(id)) {
      merged.set(id, owner);
      ofScale.delete(id);
      continue;
    }
    // The manager that wrote through the scale subresource now owns the replicas.
    const set = difference(owner.set, setOf(path));
    if (Object.keys(set).length > 0) merged.set(id, { ...owner, set });
  }
  for (const [id, owner] of ofScale) {
    if (!hasPath(owner.set, SCALE_REPLICAS)) continue;
    const identity = identify(owner.manager, owner.applied, apiVersion, owner.subresource);
    merged.set(id, { ...identity, set: setOf(path), time: ofParent.get(id)?.time });
  }
  return encodeOwners(merged);
}
