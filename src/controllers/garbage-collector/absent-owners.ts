// Owners that do not exist on the API server. A UID never comes back, so an entry never becomes wrong; the size bound
// only limits memory.
// Upstream: pkg/controller/garbagecollector/uid_cache.go.

import { LruMap } from "#kit/lru.ts";
import { type Identity, identityText } from "./identity.ts";

const ABSENT_OWNERS_MAX = 500;

export class AbsentOwners {
  readonly #entries: LruMap<true>;

  constructor(limit: number = ABSENT_OWNERS_MAX) {
    this.#entries = new LruMap(limit);
  }

  add(identity: Identity): void {
    this.#entries.set(identityText(identity), true);
  }

  has(identity: Identity): boolean {
    return this.#entries.get(identityText(identity)) === true;
  }
}
