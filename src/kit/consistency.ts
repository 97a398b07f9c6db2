// Read-your-own-writes: a sync waits until the caches have seen the writes of its owner's last sync. Without it, a slow
// watch makes a controller create or delete twice.
// Upstream: pkg/controller/util/consistency.

import { compareResourceVersions, isComparableResourceVersion } from "#api/resource-version.ts";
import type { Counter } from "#base/metrics.ts";

/** The cache is older than this controller's last write: retry later. Counted separately from failures. */
export class StaleCacheError extends Error {
  override readonly name = "StaleCacheError";
  readonly group: string;
  readonly resource: string;
  constructor(readVersion: string, writtenVersion: string, groupResource: GroupResource) {
    const { group, resource } = groupResource;
    const shown = group === "" ? resource : `${resource}.${group}`;
    super(
      `read version: ${readVersion} is not as new as written version: ${writtenVersion} for group resource ${shown}`,
    );
    this.group = group;
    this.resource = resource;
  }
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** A cache that knows up to which version it has applied its stream; "" when unknown. */
export interface VersionedCache {
  readonly resource: GroupResource;
  readonly lastStoreSyncResourceVersion: string;
}

export interface ConsistencyStore {
  /** Remembers the newest version that was written for this owner. */
  wroteAt(ownerKey: string, ownerUid: string, resource: GroupResource, resourceVersion: string): void;
  /** Throws StaleCacheError while a cache lags behind; forgets the owner once all have caught up. */
  requireFresh(ownerKey: string): void;
  /** Forgets the owner; with a UID only if the record belongs to it. */
  clear(ownerKey: string, ownerUid?: string): void;
}

interface OwnerRecord {
  readonly uid: string;
  /** The newest version written to the resource of each cache. */
  readonly versions: Map<VersionedCache, string>;
}

export class WrittenVersions implements ConsistencyStore {
  readonly #caches: readonly VersionedCache[];
  readonly #owners = new Map<string, OwnerRecord>();

  constructor(caches: readonly VersionedCache[]) {
    this.#caches = caches;
  }

  wroteAt(ownerKey: string, ownerUid: string, resource: GroupResource, resourceVersion: string): void {
    const cache = this.#caches.find((known) => isSame(known.resource, resource));
    if (cache === undefined) return;
    let owner = this.#owners.get(ownerKey);
    if (owner === undefined || owner.uid !== ownerUid) {
      owner = { uid: ownerUid, versions: new Map() };
      this.#owners.set(ownerKey, owner);
    }
    const known = owner.versions.get(cache);
    if (known === undefined || !isNewer(known, resourceVersion)) owner.versions.set(cache, resourceVersion);
  }

  requireFresh(ownerKey: string): void {
    const owner = this.#owners.get(ownerKey);
    if (owner === undefined) return;
    for (const [cache, written] of owner.versions) {
      const read = cache.lastStoreSyncResourceVersion;
      if (read !== "" && isNewer(written, read)) throw new StaleCacheError(read, written, cache.resource);
    }
    this.#owners.delete(ownerKey);
  }

  clear(ownerKey: string, ownerUid?: string): void {
    const owner = this.#owners.get(ownerKey);
    if (owner !== undefined && (ownerUid === undefined || owner.uid === ownerUid)) this.#owners.delete(ownerKey);
  }
}

function isSame(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource;
}

/** Versions that cannot be compared are a defect of the data; they must not block syncs. */
function isNewer(a: string, b: string): boolean {
  return isComparableResourceVersion(a) && isComparableResourceVersion(b) && compareResourceVersions(a, b) > 0;
}

/** For controllers whose gate is off: never blocks. */
const noConsistency: ConsistencyStore = {
  wroteAt: () => {},
  requireFresh: () => {},
  clear: () => {},
};

/** The store for a controller that writes to the resources of these caches. `isGuarded` is the value of its gate. */
export function consistencyOf(isGuarded: boolean, caches: readonly VersionedCache[]): ConsistencyStore {
  return isGuarded ? new WrittenVersions(caches) : noConsistency;
}

/** An error hook that counts syncs put off by a stale cache, by group and resource. */
export function countingStaleSyncs(skips: Counter): (error: unknown) => void {
  return (error) => {
    if (error instanceof StaleCacheError) skips.inc([error.group, error.resource]);
  };
}
