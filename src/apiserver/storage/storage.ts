// What the API server asks of a store: one table per resource, versions of objects under keys in
// order, one revision counter for all tables, and a bounded history to read and watch from.
// Everything is synchronous: between a read and a guarded write nothing can interleave, and one
// event loop serves all. A store that must wait (etcd) sits behind a real kube-apiserver instead.

import type { KubeObject } from "#api/object.ts";

/** "namespace/name", or "name" in tables of cluster-scoped kinds. Compared by code unit. */
export type StorageKey = string;

/** One version of one object. Never changes, save that `previous` and the caches are dropped with the history. */
export interface StoredVersion {
  readonly key: StorageKey;
  readonly revision: number;
  /** Deeply frozen, in the stored form, with this revision as resourceVersion; of a deletion the last state. */
  readonly object: KubeObject;
  readonly isDeletion: boolean;
  /** What this version replaced: a deletion, or nothing, when it created the object. */
  readonly previous: StoredVersion | undefined;
  /** Renderings of `object` by name, made on first use. */
  renderings: Map<string, unknown> | undefined;
}

export interface ListQuery {
  /** Only keys that begin so. */
  readonly prefix: string;
  /** Only keys from here on, by order. */
  readonly from?: StorageKey;
  /** The state as of this revision, which the history must reach; absent: the latest. */
  readonly revision?: number;
}

/** Makes the object to store, given the revision that the write will have. */
export type BuildObject = (revision: number) => KubeObject;

export interface Table {
  /** The history knows every event after this revision and every state from it on. */
  readonly compactedRevision: number;
  /** The number of live objects. */
  readonly size: number;
  /** The latest version, unless it is a deletion. */
  get(key: StorageKey): StoredVersion | undefined;
  /** Live versions in key order; stop iterating at any time, but do not write meanwhile. */
  scan(query: ListQuery): Iterable<StoredVersion>;
  /** How many versions a scan would give. */
  count(query: ListQuery): number;
  /** Undefined: the key exists. */
  create(key: StorageKey, build: BuildObject): StoredVersion | undefined;
  /** Undefined: the latest version is not `expected` any more. */
  update(expected: StoredVersion, build: BuildObject): StoredVersion | undefined;
  delete(expected: StoredVersion, build: BuildObject): StoredVersion | undefined;
  /** All versions written after a revision, which must not be below compactedRevision. */
  since(revision: number): readonly StoredVersion[];
  /** Calls the listener with each version, synchronously, in revision order, once it is durable. It must not throw. */
  subscribe(listener: (version: StoredVersion) => void): Disposable;
}

export interface Storage {
  /** The revision of the last write, to any table. Starts above 0: "0" means "any" to clients. */
  readonly revision: number;
  /** Hears of listeners that throw. The write stands nevertheless, and the other listeners are called. */
  onListenerError?: ((error: unknown) => void) | undefined;
  table(resource: string): Table;
  /** Drops all history up to a revision. Ages out by itself too. */
  compact(revision: number): void;
  close(): void;
}

/** The store cannot take a write (disk full, file read-only, I/O error). Nothing of it took effect. */
export class StorageWriteFailed extends Error {
  override readonly name = "StorageWriteFailed";
}
