// The claims that this controller created and that its cache may not show yet. A sync that failed after the create
// finds the claim here and does not create a second one.
// Upstream: client-go tools/cache/mutation_cache.go, in the way that pkg/controller/resourceclaim uses it. A claim that
// was deleted meanwhile stays until its time is over; upstream keeps it, too.

import type { ResourceClaim } from "#api/generated/types/resource-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Store } from "#informers/store.ts";

const CLAIMS_MAX = 100;
const KEPT_MS = 60 * 60 * 1000;

type Claim = Stored<ResourceClaim>;

export class CreatedClaims {
  readonly #clock: Clock;
  readonly #cache: Store<Claim>;
  readonly #created = new Map<ObjectKey, { readonly claim: Claim; readonly untilMs: number }>();

  constructor(clock: Clock, cache: Store<Claim>) {
    this.#clock = clock;
    this.#cache = cache;
  }

  add(claim: Claim): void {
    const key = objectKey(claim);
    this.#created.delete(key);
    this.#created.set(key, { claim, untilMs: this.#clock.monotonicMs() + KEPT_MS });
    const [oldest] = this.#created.keys();
    if (this.#created.size > CLAIMS_MAX && oldest !== undefined) this.#created.delete(oldest);
  }

  /** The claims of the cache, then the created claims that it lacks. */
  byIndex(index: string, value: string, keysOf: (claim: Claim) => readonly string[]): readonly Claim[] {
    const cached = this.#cache.byIndex(index, value);
    const known = new Set(cached.map((claim) => objectKey(claim)));
    for (const key of known) this.#created.delete(key);
    const now = this.#clock.monotonicMs();
    const created = [...this.#created.values()]
      .filter(({ claim, untilMs }) => untilMs > now && keysOf(claim).includes(value))
      .map(({ claim }) => claim);
    return [...cached, ...created];
  }
}
