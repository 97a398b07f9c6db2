// Passes each write of a table only to the watchers that it concerns. Watchers are indexed by key, by the value of one
// field (spec.nodeName of pods), by namespace, or match everything.

import type { Selection } from "../selection.ts";
import type { StoredVersion, Table } from "../storage/storage.ts";
import type { Watcher } from "./watcher.ts";

/** The value of the indexed field of a version. */
export type IndexedValue = (version: StoredVersion) => string;

const RENDERED_VERSIONS_MAX = 512;

export class WatchHub {
  readonly #table: Table;
  readonly #indexedField: string | undefined;
  readonly #indexedValue: IndexedValue | undefined;
  readonly #buckets = new Map<string, Set<Watcher>>();
  /** The last versions passed on, in a ring: only their renderings are kept for watchers to share. */
  readonly #recent: (StoredVersion | undefined)[] = [];
  #recentAt = 0;
  #subscription: Disposable | undefined;
  #count = 0;

  constructor(table: Table, indexedField?: string, indexedValue?: IndexedValue) {
    this.#table = table;
    this.#indexedField = indexedField;
    this.#indexedValue = indexedValue;
  }

  get watcherCount(): number {
    return this.#count;
  }

  add(watcher: Watcher): void {
    const bucketName = this.#bucketOf(watcher.selection);
    const bucket = this.#buckets.get(bucketName);
    if (bucket === undefined) this.#buckets.set(bucketName, new Set([watcher]));
    else bucket.add(watcher);
    this.#count++;
    this.#subscription ??= this.#table.subscribe((version) => this.#dispatch(version));
  }

  remove(watcher: Watcher): void {
    const bucketName = this.#bucketOf(watcher.selection);
    const bucket = this.#buckets.get(bucketName);
    if (!bucket?.delete(watcher)) return;
    if (bucket.size === 0) this.#buckets.delete(bucketName);
    if (--this.#count > 0) return;
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
  }

  *watchers(): Generator<Watcher> {
    for (const bucket of this.#buckets.values()) yield* bucket;
  }

  /** The narrowest bucket. The first letter of a name tells its kind. */
  #bucketOf(selection: Selection): string {
    if (selection.key !== undefined) return `k${selection.key}`;
    const value = this.#indexedField === undefined ? undefined : selection.requiredField(this.#indexedField);
    if (value !== undefined) return `f${value}`;
    return selection.namespace === "" ? "a" : `n${selection.namespace}`;
  }

  /** A watcher that has missed an event must not continue: it is closed, and its client lists again. */
  #dispatch(version: StoredVersion): void {
    this.#forgetOldest(version);
    const failures: unknown[] = [];
    this.#offer("a", version, failures);
    const slash = version.key.indexOf("/");
    if (slash > 0) this.#offer(`n${version.key.slice(0, slash)}`, version, failures);
    this.#offer(`k${version.key}`, version, failures);
    if (this.#indexedValue !== undefined) this.#offerByField(version, this.#indexedValue, failures);
    if (failures.length > 0) throw failures[0];
  }

  #offerByField(version: StoredVersion, indexedValue: IndexedValue, failures: unknown[]): void {
    let values: Set<string>;
    try {
      values = new Set([version, version.previous].flatMap((one) => (one === undefined ? [] : [indexedValue(one)])));
    } catch (error) {
      failures.push(error);
      for (const [name, bucket] of this.#buckets)
        if (name.startsWith("f")) for (const watcher of bucket) watcher.close();
      return;
    }
    for (const value of values) this.#offer(`f${value}`, version, failures);
  }

  /** Encoded events are large. For a watcher slower than this ring, events are encoded again. */
  #forgetOldest(version: StoredVersion): void {
    const oldest = this.#recent[this.#recentAt];
    if (oldest !== undefined) oldest.renderings = undefined;
    this.#recent[this.#recentAt] = version;
    this.#recentAt = (this.#recentAt + 1) % RENDERED_VERSIONS_MAX;
  }

  #offer(bucketName: string, version: StoredVersion, failures: unknown[]): void {
    const bucket = this.#buckets.get(bucketName);
    if (bucket === undefined) return;
    for (const watcher of bucket) {
      // An indexed field does not imply the namespace.
      if (!version.key.startsWith(watcher.selection.prefix)) continue;
      try {
        watcher.offer(version);
      } catch (error) {
        failures.push(error);
        watcher.close();
      }
    }
  }
}
