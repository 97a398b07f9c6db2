// A resource handle: where the API server serves a kind, and the TypeScript type of its stored objects. Clients,
// informers, references and patches take handles, so the type of an object always follows from the resource. The handles
// of the built-in resources are generated: generated/resources/<group>-<version>.ts.

import type { ObjectMeta } from "#api/meta.ts";
import { apiVersionOf, type GroupVersionKind, type GroupVersionResource, type KubeObject } from "#api/object.ts";

export type Scope = "Namespaced" | "Cluster";

/** Exists only for the type checker. */
declare const objectType: unique symbol;

export interface Resource<T extends KubeObject = StoredObject> extends GroupVersionResource, GroupVersionKind {
  readonly scope: Scope;
  /** The type of the objects. Required, so that an object literal is not a handle of an arbitrary type. */
  readonly [objectType]: T;
}

/** Metadata that the API server has filled in. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

export interface NamespacedMeta extends StoredMeta {
  readonly namespace: string;
}

/** Never has a namespace. */
export interface ClusterMeta extends StoredMeta {
  readonly namespace?: never;
}

/** Any object from a cache or from the API server, of a kind that is known only at run time. */
export interface StoredObject extends KubeObject {
  readonly metadata: StoredMeta;
}

export interface NamespacedObject extends StoredObject {
  readonly metadata: NamespacedMeta;
}

export interface ClusterObject extends StoredObject {
  readonly metadata: ClusterMeta;
}

/** A namespaced object of this kind, as caches and the API server return it. */
export type Stored<K extends KubeObject> = K & NamespacedObject;

/** A cluster-scoped object of this kind, as caches and the API server return it. */
export type StoredCluster<K extends KubeObject> = K & ClusterObject;

/** Metadata of an object to create: the client names it, or the API server does. */
export type DraftMeta = ObjectMeta & ({ readonly name: string } | { readonly generateName: string });

/** An object to create. The client fills in apiVersion and kind. Reviews are never stored and need no name. */
export type Draft<T extends KubeObject> = Omit<T, "metadata"> &
  (T extends StoredObject ? { readonly metadata: DraftMeta } : { readonly metadata?: ObjectMeta });

/** An apply configuration: the fields that the manager owns. The client fills in apiVersion and kind. */
export type Applied<T extends KubeObject> = Partial<Omit<T, "metadata">> & { readonly metadata?: ObjectMeta };

/** An object of which only metadata is transferred. */
export interface PartialObjectMetadata<T extends StoredObject = StoredObject> extends KubeObject {
  readonly metadata: T["metadata"];
}

/** The type of the objects that a handle stands for. */
export type ObjectOf<R> = R extends Resource<infer T> ? T : never;

export type ResourceFields = GroupVersionResource & GroupVersionKind & { readonly scope: Scope };

/**
 * A handle that is not generated: with the general object type for discovered resources, with T for a known custom
 * resource.
 */
export function resourceHandle<T extends StoredObject = StoredObject>(fields: ResourceFields): Resource<T> {
  const { group, version, resource, kind, scope } = fields;
  return { group, version, resource, kind, scope } as Resource<T>;
}

/** The object with the handle's apiVersion and kind. Items of lists, and so objects in caches, carry neither. */
export function withKind<T extends KubeObject>(object: T, resource: GroupVersionKind): T {
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  return object.apiVersion === apiVersion && object.kind === kind ? object : { ...object, apiVersion, kind };
}
