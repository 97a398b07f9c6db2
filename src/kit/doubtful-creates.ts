// Creates without an answer: the connection broke, or the server gave up, before the answer came. The object may exist
// although no cache shows it yet, and a sync that trusts the cache would create one too many. The next sync therefore
// lists the objects on the server once, and waits until the cache has seen the newest of them. Deviation: upstream
// creates again, and deletes the surplus when the watch shows it.

import { isControlledBy } from "#api/owner-refs.ts";
import type { StoredObject } from "#api/resource.ts";
import { ApiError, isForbidden } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";
import { type VersionedCache, WrittenVersions } from "./consistency.ts";

export class DoubtfulCreates {
  readonly #cache: VersionedCache;
  readonly #versions: WrittenVersions;
  /** Keys of owners. */
  readonly #doubtful = new Set<string>();

  constructor(cache: VersionedCache) {
    this.#cache = cache;
    this.#versions = new WrittenVersions([cache]);
  }

  /** A create for this owner failed with this error; the object may exist. */
  note(ownerKey: string, error: unknown): void {
    if (isOutcomeUnknown(error)) this.#doubtful.add(ownerKey);
  }

  /** Throws StaleCacheError while the cache lacks an object of this owner that the server has. */
  async settle(ownerKey: string, owner: StoredObject, listLive: () => Promise<readonly StoredObject[]>): Promise<void> {
    if (this.#doubtful.has(ownerKey)) {
      for (const object of await listed(listLive)) {
        if (!isControlledBy(object, owner)) continue;
        this.#versions.wroteAt(ownerKey, owner.metadata.uid, this.#cache.resource, object.metadata.resourceVersion);
      }
      this.#doubtful.delete(ownerKey);
    }
    this.#versions.requireFresh(ownerKey);
  }

  forget(ownerKey: string): void {
    this.#doubtful.delete(ownerKey);
    this.#versions.clear(ownerKey);
  }
}

/** Without permission to list, the controller goes on as upstream does. */
async function listed(listLive: () => Promise<readonly StoredObject[]>): Promise<readonly StoredObject[]> {
  try {
    return await listLive();
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** A refused connection sent nothing, and a refusal by the server is an answer: both outcomes are known. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof TransportError) return !["refused", "dns", "tls"].includes(error.failure);
  return error instanceof ApiError && error.code >= 500;
}
