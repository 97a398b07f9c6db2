// The node ranges within one cluster range: which are used, and which is next. The next one is the first free range
// after the last allocated one, so that a released range is not reused at once.
// Upstream: pkg/controller/nodeipam/ipam/cidrset/cidr_set.go.

import { type Cidr, formatCidr, subnetAt, subnetCount, subnetsOf } from "#rules/cidr.ts";
import type { CidrSetMetrics } from "./metrics.ts";
import type { NodeRange } from "./settings.ts";

export class CidrSet {
  readonly #range: NodeRange;
  readonly #size: number;
  readonly #metrics: CidrSetMetrics;
  readonly #used = new BitSet();
  #usedCount = 0;
  #next = 0;

  constructor(range: NodeRange, metrics: CidrSetMetrics) {
    this.#range = range;
    this.#size = sizeOf(range);
    this.#metrics = metrics;
  }

  /** Throws when all are used. */
  allocate(): Cidr {
    if (this.#usedCount === this.#size) {
      throw new Error("CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range");
    }
    let [index, tries] = [this.#next, 0];
    for (; this.#used.has(index); tries++) index = (index + 1) % this.#size;
    this.#next = (index + 1) % this.#size;
    this.#use(index);
    this.#metrics.tries.observe(tries);
    this.#showUsage();
    return subnetAt(this.#range.cluster, this.#range.nodeLength, index);
  }

  /** Marks all node ranges that overlap this one as used, even if they already are. */
  occupy(cidr: Cidr): void {
    this.#each(cidr, (index) => {
      if (!this.#used.has(index)) this.#use(index);
    });
  }

  /** Marks all node ranges that overlap this one as free. */
  release(cidr: Cidr): void {
    this.#each(cidr, (index) => {
      if (!this.#used.has(index)) return;
      this.#used.clear(index);
      this.#usedCount--;
      this.#metrics.releases.inc();
    });
  }

  #each(cidr: Cidr, change: (index: number) => void): void {
    const { cluster, nodeLength } = this.#range;
    const numbers = subnetsOf(cluster, nodeLength, cidr);
    if (numbers === undefined) {
      throw new Error(`cidr ${formatCidr(cidr)} is out the range of cluster cidr ${formatCidr(cluster)}`);
    }
    for (let index = numbers.from; index <= numbers.to; index++) change(index);
    this.#showUsage();
  }

  #use(index: number): void {
    this.#used.set(index);
    this.#usedCount++;
    this.#metrics.allocations.inc();
  }

  #showUsage(): void {
    this.#metrics.usage.set(this.#usedCount / this.#size);
  }
}

export function sizeOf({ cluster, nodeLength }: NodeRange): number {
  return subnetCount(cluster, nodeLength);
}

const PAGE_BITS = 32_768;

/** A set of numbers in pages; a page is allocated for its first number. */
class BitSet {
  readonly #pages = new Map<number, Uint8Array>();

  has(number: number): boolean {
    const page = this.#pages.get(Math.floor(number / PAGE_BITS));
    return page !== undefined && ((page[(number % PAGE_BITS) >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  set(number: number): void {
    const pageNumber = Math.floor(number / PAGE_BITS);
    const page = this.#pages.get(pageNumber) ?? new Uint8Array(PAGE_BITS / 8);
    this.#pages.set(pageNumber, page);
    const byte = (number % PAGE_BITS) >> 3;
    page[byte] = (page[byte] ?? 0) | (1 << (number & 7));
  }

  clear(number: number): void {
    const page = this.#pages.get(Math.floor(number / PAGE_BITS));
    const byte = (number % PAGE_BITS) >> 3;
    if (page !== undefined) page[byte] = (page[byte] ?? 0) & ~(1 << (number & 7));
  }
}
