// How long kubelets may cache Secrets and ConfigMaps, by the number of nodes. The steps overlap, so that a cluster
// whose size varies around a boundary does not change its TTL with every node.
// Upstream: pkg/controller/ttl/ttl_controller.go, ttlBoundaries.

interface Step {
  /** Below this size the previous step applies. */
  readonly sizeMin: number;
  /** Above this size the next step applies. */
  readonly sizeMax: number;
  readonly ttlSeconds: number;
}

const steps: readonly [Step, ...Step[]] = [
  { sizeMin: 0, sizeMax: 100, ttlSeconds: 0 },
  { sizeMin: 90, sizeMax: 500, ttlSeconds: 15 },
  { sizeMin: 450, sizeMax: 1000, ttlSeconds: 30 },
  { sizeMin: 900, sizeMax: 2000, ttlSeconds: 60 },
  { sizeMin: 1800, sizeMax: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
];

/** Counts nodes by events, not in the cache: the step depends on the history of the size. */
export class ClusterSize {
  #nodes = 0;
  #step = 0;

  get ttlSeconds(): number {
    return this.#current.ttlSeconds;
  }

  nodeAdded(): void {
    this.#nodes++;
    if (this.#nodes > this.#current.sizeMax) this.#step++;
  }

  nodeDeleted(): void {
    this.#nodes--;
    if (this.#nodes < this.#current.sizeMin) this.#step--;
  }

  get #current(): Step {
    return steps[this.#step] ?? steps[0];
  }
}
