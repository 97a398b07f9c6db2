// Steps with owners and dependents. Nearly all are ConfigMaps, which only the garbage collector handles.

import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf, type KubeObject } from "#api/object.ts";
import type { ObjectOf, Resource, StoredObject } from "#api/resource.ts";
import type { Stage } from "#test/stage/stage.ts";

export type Map = ObjectOf<typeof ConfigMaps>;

/** A UID that no object has. It depends on the play: plays that run at the same time share a graph. */
export function noUid({ namespace }: Stage, index = 0): string {
  return `0000000${index}-0000-4000-8000-00000000${namespace.slice(-4)}`;
}

export const BACKGROUND = { propagationPolicy: "Background" } as const;
export const FOREGROUND = { propagationPolicy: "Foreground" } as const;
export const ORPHAN = { propagationPolicy: "Orphan" } as const;

/** A finalizer that keeps an object until the scenario removes it. */
export const HOLD = "example.com/hold";

type More = Pick<OwnerReference, "blockOwnerDeletion" | "controller">;

export function ownerOf<T extends StoredObject>(
  resource: Resource<T>,
  { metadata }: T,
  more: More = {},
): OwnerReference {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name: metadata.name, uid: metadata.uid, ...more };
}

/** A reference to a ConfigMap. */
export function ownedBy(owner: Map, more: More = {}): OwnerReference {
  return ownerOf(ConfigMaps, owner, more);
}

/** A reference to a ConfigMap that never existed. */
export function ownedByNothing(stage: Stage, name = "nothing", index = 0): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: noUid(stage, index) };
}

export function map(stage: Stage, name: string, ...ownerReferences: readonly OwnerReference[]): Promise<Map> {
  return stage.of(ConfigMaps).create({ metadata: { name, ownerReferences } });
}

/** Like map, with a finalizer that keeps the object. */
export function heldMap(stage: Stage, name: string, ...ownerReferences: readonly OwnerReference[]): Promise<Map> {
  return stage.of(ConfigMaps).create({ metadata: { name, ownerReferences, finalizers: [HOLD] } });
}

/** Removes all finalizers except those that the garbage collector removes itself. */
export async function letGo(stage: Stage, name: string): Promise<void> {
  await stage.of(ConfigMaps).update(name, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: object.metadata.finalizers?.filter((one) => one !== HOLD) ?? [] },
  }));
}

export function ownerNames({ metadata }: KubeObject | ConfigMap): readonly string[] {
  return (metadata?.ownerReferences ?? []).map(({ name }) => name);
}

export const isBeingDeleted = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;
