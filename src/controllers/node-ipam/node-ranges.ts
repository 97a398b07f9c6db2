// The ranges of the nodes: one from each cluster range.
// Upstream: pkg/controller/nodeipam/ipam/range_allocator.go.

import type { Node } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { type Cidr, formatCidr, overlaps, parseCidr } from "#rules/cidr.ts";
import type { CidrSet } from "./cidr-set.ts";
import type { NodeRange } from "./settings.ts";

export class NodeRanges {
  readonly #sets: readonly CidrSet[];

  constructor(sets: readonly CidrSet[]) {
    this.#sets = sets;
  }

  /** Excludes a service range from allocation. */
  keepOut(service: Cidr, ranges: readonly NodeRange[]): void {
    for (const [i, { cluster }] of ranges.entries()) if (overlaps(cluster, service)) this.#sets[i]?.occupy(service);
  }

  /** Marks the node's ranges as used; throws for a range outside of the cluster ranges. */
  occupy({ metadata, spec }: StoredCluster<Node>): void {
    for (const [i, text] of (spec?.podCIDRs ?? []).entries()) {
      const cidr = parseCidr(text);
      if (cidr === undefined) throw new Error(`failed to parse node ${metadata.name}, CIDR ${spec?.podCIDR ?? ""}`);
      const set = this.#setOf(metadata.name, text, i);
      try {
        set.occupy(cidr);
      } catch (cause) {
        const what = `failed to mark cidr[${formatCidr(cidr)}] at idx [${i}] as occupied for node: ${metadata.name}`;
        throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
      }
    }
  }

  /** Frees the node's ranges. */
  releaseOf({ metadata, spec }: StoredCluster<Node>): void {
    for (const [i, text] of (spec?.podCIDRs ?? []).entries()) {
      const cidr = parseCidr(text);
      if (cidr === undefined) {
        throw new Error(`failed to parse CIDR ${text} on Node ${metadata.name}: invalid CIDR address: ${text}`);
      }
      const set = this.#setOf(metadata.name, text, i);
      try {
        set.release(cidr);
      } catch (cause) {
        throw new Error(`error when releasing CIDR ${text}: ${errorMessage(cause)}`, { cause });
      }
    }
  }

  /**
   * Allocates one range from each cluster range; throws when one is full. As upstream, ranges allocated before that are
   * not freed.
   */
  allocate(): readonly Cidr[] {
    return this.#sets.map((set, i) => {
      try {
        return set.allocate();
      } catch (cause) {
        throw new Error(`failed to allocate cidr from cluster cidr at idx:${i}: ${errorMessage(cause)}`, { cause });
      }
    });
  }

  release(allocated: readonly Cidr[], log: Logger): void {
    for (const [i, cidr] of allocated.entries()) {
      log.v(4).info("Release CIDR", { CIDR: formatCidr(cidr) });
      this.#sets[i]?.release(cidr);
    }
  }

  #setOf(name: string, text: string, index: number): CidrSet {
    const set = this.#sets[index];
    if (set !== undefined) return set;
    const what = `node:${name} has an allocated cidr: ${text} at index:${index}`;
    throw new Error(`${what} that does not exist in cluster cidrs configuration`);
  }
}
