// The addresses of nodes and of their pods. Each node has a /24, from 10.244.0.0 on, and gives each address to one pod
// at a time. This includes pods from before the start of this process.

const ADDRESSES_PER_NODE = 253;

/** Outside of the pods' addresses and the services', which are 10.0.0.0/24 by default. */
export function nodeAddress(node: number): string {
  const index = node + 10;
  return `192.168.${index >> 8}.${index & 255}`;
}

/** After 10.255 comes 10.1: the services' addresses are in 10.0. */
function podPrefix(node: number): string {
  return `10.${((243 + (node >> 8)) % 255) + 1}.${node & 255}`;
}

export class PodAddresses {
  readonly #prefix: string;
  readonly #byUid = new Map<string, string>();
  readonly #taken = new Set<string>();
  #next = 0;

  /** node: counted from 0. */
  constructor(node: number) {
    this.#prefix = podPrefix(node);
  }

  /** Records the address of a pod that already has one. */
  keep(uid: string, address: string): void {
    this.#byUid.set(uid, address);
    this.#taken.add(address);
  }

  /** Allocates the pod's address; undefined when all are used. */
  give(uid: string): string | undefined {
    const known = this.#byUid.get(uid);
    if (known !== undefined) return known;
    for (let tries = 0; tries < ADDRESSES_PER_NODE; tries++) {
      const address = `${this.#prefix}.${this.#next + 2}`;
      this.#next = (this.#next + 1) % ADDRESSES_PER_NODE;
      if (this.#taken.has(address)) continue;
      this.keep(uid, address);
      return address;
    }
    return undefined;
  }

  free(uid: string): void {
    const address = this.#byUid.get(uid);
    if (address === undefined) return;
    this.#byUid.delete(uid);
    this.#taken.delete(address);
  }
}
