// The storage interface of the API server: one table per resource, versions of objects under ordered keys, one revision
// counter for all tables, and a bounded history to read and watch from. Everything is synchronous: nothing can happen
// between a read and a guarded write, and one event loop serves all. A store that must wait (etcd) belongs behind a
// real kube-apiserver instead.

import type { KubeObject } from "#api/object.ts";

/** "namespace/name", or "name" for cluster-scoped kinds. Compared by code unit. */
export type StorageKey = string;

/** One version of one object. It never changes, except that `previous` and the caches are dropped with the history. */
export interface StoredVersion {
  readonly key: StorageKey;
  readonly revision: number;
  /** Deeply frozen, in the stored form, with this revision as resourceVersion; for a deletion the last state. */
  readonly object: KubeObject;
  readonly isDeletion: boolean;
  /** The replaced version; a deletion or undefined when this version created the object. */
  readonly previous: StoredVersion | undefined;
  /** Renderings of `object` by name, created on first use. */
  renderings: Map<string, unknown> | undefined;
}

export interface ListQuery {
  /** Only keys with this prefix. */
  readonly prefix: string;
  /** Only keys from this one on. */
  readonly from?: StorageKey;
  /** The state at this revision, which must be retained; absent: the latest. */
  readonly revision?: number;
}

/** Builds the object to store, for the revision of the write. */
export type BuildObject = (revision: number) => KubeObject;

export interface Table {
  /** The history has every event after this revision and every state from it on. */
  readonly compactedRevision: number;
  /** The number of live objects. */
  readonly size: number;
  /** The latest version, unless it is a deletion. */
  get(key: StorageKey): StoredVersion | undefined;
  /** Live versions in key order. Do not write while iterating. */
  scan(query: ListQuery): Iterable<StoredVersion>;
  /** The number of versions that a scan would return. */
  count(query: ListQuery): number;
  /** Undefined if the key exists. */
  create(key: StorageKey, build: BuildObject): StoredVersion | undefined;
  /** Undefined: the latest version is no longer `expected`. */
  update(expected: StoredVersion, build: BuildObject): StoredVersion | undefined;
  delete(expected: StoredVersion, build: BuildObject): StoredVersion | undefined;
  /** All versions written after a revision, which must not be below compactedRevision. */
  since(revision: number): readonly StoredVersion[];
  /** Calls the listener with each version, synchronously, in revision order, once it is durable. It must not throw. */
  subscribe(listener: (version: StoredVersion) => void): Disposable;
}

export interface Storage {
  /** The revision of the last write to any table. Above 0 from the start, because "0" means "any" to clients. */
  readonly revision: number;
  /** Called for listeners that throw. The write stays valid, and the other listeners are called. */
  onListenerError?: ((error: unknown) => void) | undefined;
  table(resource: string): Table;
  /** Drops all history up to a revision. History also expires by itself. */
  compact(revision: number): void;
  close(): void;
}

/** The store cannot accept a write (disk full, file read-only, I/O error). Nothing of it took effect. */
export class StorageWriteFailed extends Error {
  override readonly name = "StorageWriteFailed";
}
