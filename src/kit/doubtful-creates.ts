// Creates without an answer: the connection broke, or the server gave up, before the answer came. The object
// may be there although no cache shows it yet, and a sync that trusts the cache makes one too many. So the next sync asks
// the server once what is there, and waits until the cache has seen the newest of it.
// Deviation: upstream creates again, and deletes the surplus when the watch shows it.

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

  /** A create for this owner failed with this error. */
  note(ownerKey: string, error: unknown): void {
    if (isOutcomeUnknown(error)) this.#doubtful.add(ownerKey);
  }

  /** Throws StaleCacheError while the cache lacks something of this owner's that the server has. */
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

/** Without the right to list, the controller goes on as upstream does. */
async function listed(listLive: () => Promise<readonly StoredObject[]>): Promise<readonly StoredObject[]> {
  try {
    return await listLive();
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** A refused connection carried nothing; a refusal by the server's rules is an answer. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof TransportError) return !["refused", "dns", "tls"].includes(error.failure);
  return error instanceof ApiError && error.code >= 500;
}
