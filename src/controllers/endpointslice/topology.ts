// The state behind the hints of the mode Auto beyond one Service: the zones of the nodes, and the zones that the
// endpoints of each Service serve.
// Upstream: k8s.io/endpointslice/topologycache/topologycache.go.

import type { Node } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { AddressType } from "#families/slices/model.ts";
import { isOverloaded, type ZoneCounts, type ZoneShares, zoneShares } from "#families/slices/zone-allocation.ts";

export class Topology {
  #shares: ZoneShares | undefined = new Map();
  readonly #counts = new Map<ObjectKey, Map<string, ZoneCounts>>();
  readonly #hinted = new Set<ObjectKey>();

  /** Undefined: the nodes lack information. */
  get shares(): ZoneShares | undefined {
    return this.#shares;
  }

  setNodes(nodes: readonly Node[]): void {
    this.#shares = zoneShares(nodes);
  }

  /** The Services with hints in which a zone has too few endpoints now. */
  overloaded(): readonly ObjectKey[] {
    return this.#counts
      .entries()
      .filter(([, types]) => types.values().some((counts) => isOverloaded(counts, this.#shares)))
      .map(([key]) => key)
      .toArray();
  }

  /** For any address type. As upstream, removing the hints of one type removes them for all. */
  hasHints(service: ObjectKey): boolean {
    return this.#hinted.has(service);
  }

  setHints(service: ObjectKey, addressType: AddressType, counts: ZoneCounts): void {
    const types = this.#counts.get(service) ?? new Map<string, ZoneCounts>();
    this.#counts.set(service, types.set(addressType, counts));
    this.#hinted.add(service);
  }

  removeHints(service: ObjectKey, addressType: string): void {
    const types = this.#counts.get(service);
    types?.delete(addressType);
    if (types?.size === 0) this.#counts.delete(service);
    this.#hinted.delete(service);
  }
}
