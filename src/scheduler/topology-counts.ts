// Numbers by topology: a label key of nodes and its value.

import type { Labels } from "#api/label-selector.ts";

export class TopologyCounts {
  readonly #byKey = new Map<string, Map<string, number>>();

  /** True if no node with the key has a count. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Adds to the node's domain; a node without the key has none. */
  add(key: string, nodeLabels: Labels, amount: number): void {
    const value = nodeLabels[key];
    if (value === undefined) return;
    let domains = this.#byKey.get(key);
    if (domains === undefined) {
      domains = new Map();
      this.#byKey.set(key, domains);
    }
    domains.set(value, (domains.get(value) ?? 0) + amount);
  }

  at(key: string, nodeLabels: Labels): number {
    const value = nodeLabels[key];
    return value === undefined ? 0 : (this.#byKey.get(key)?.get(value) ?? 0);
  }

  /** Whether the node is in a domain with a positive count. */
  hasAny(nodeLabels: Labels): boolean {
    for (const key of this.#byKey.keys()) if (this.at(key, nodeLabels) > 0) return true;
    return false;
  }

  /** The sum over all keys. */
  sum(nodeLabels: Labels): number {
    let sum = 0;
    for (const key of this.#byKey.keys()) sum += this.at(key, nodeLabels);
    return sum;
  }
}
