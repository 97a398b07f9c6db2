// The patches of the garbage collector: strategic merge for built-in kinds, JSON merge for custom resources. A JSON
// merge patch replaces the whole list, so it carries the resourceVersion of the list that it changes.
// Upstream: pkg/controller/garbagecollector/patch.go; pkg/controller/controller_ref_manager.go,
// GenerateDeleteOwnerRefStrategicMergeBytes.

import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import type { GraphNode } from "./graph-node.ts";

export interface MetadataPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The UID makes the patch fail on another object with the same name. */
export function dropOwnersStrategic(uid: string, ownerUids: readonly string[]): MetadataPatch {
  return { metadata: { uid, ownerReferences: ownerUids.map((owner) => ({ $patch: "delete", uid: owner })) } };
}

export function dropOwnersMerge(current: ObjectMeta, ownerUids: readonly string[]): MetadataPatch {
  const rest = (current.ownerReferences ?? []).filter(({ uid }) => !ownerUids.includes(uid));
  return { metadata: { resourceVersion: current.resourceVersion, ownerReferences: orNull(rest) } };
}

/** Contains only the references that block; the others stay unchanged. */
export function unblockOwnersStrategic({ identity, owners }: GraphNode): MetadataPatch {
  const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(unblocked);
  return { metadata: { uid: identity.uid, ...(blocking.length > 0 && { ownerReferences: blocking }) } };
}

export function unblockOwnersMerge(current: ObjectMeta, { owners }: GraphNode): MetadataPatch {
  return {
    metadata: { resourceVersion: current.resourceVersion, ownerReferences: orNull(owners.map(unblocked)) },
  };
}

/** Undefined: the object does not have the finalizer. */
export function dropFinalizerMerge(current: ObjectMeta, finalizer: string): MetadataPatch | undefined {
  const { finalizers = [], resourceVersion } = current;
  if (!finalizers.includes(finalizer)) return undefined;
  return { metadata: { resourceVersion, finalizers: orNull(finalizers.filter((other) => other !== finalizer)) } };
}

function unblocked(reference: OwnerReference): OwnerReference {
  return { ...reference, blockOwnerDeletion: false };
}

function orNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}
