// A set of UIDs. UIDs never come back, so the size bound only limits memory.
// Upstream: pkg/controller/resourceclaim/uid_cache.go, pkg/controller/devicetainteviction/uid_cache.go.

import { LruMap } from "#kit/lru.ts";

const UIDS_MAX = 500;

export class UidCache {
  readonly #uids = new LruMap<true>(UIDS_MAX);

  add(uid: string): void {
    this.#uids.set(uid, true);
  }

  has(uid: string): boolean {
    return this.#uids.get(uid) === true;
  }
}
