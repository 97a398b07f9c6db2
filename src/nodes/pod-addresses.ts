// The addresses that one node gives to its pods: each to one pod at a time, those of pods that ran before this
// process began included.

const ADDRESSES_PER_NODE = 65_000;

export class PodAddresses {
  readonly #subnet: number;
  readonly #byUid = new Map<string, string>();
  readonly #taken = new Set<string>();
  #next = 0;

  constructor(subnet: number) {
    this.#subnet = subnet;
  }

  /** A pod that has an address already. */
  keep(uid: string, address: string): void {
    this.#byUid.set(uid, address);
    this.#taken.add(address);
  }

  /** The pod's address; undefined when all are taken. */
  give(uid: string): string | undefined {
    const known = this.#byUid.get(uid);
    if (known !== undefined) return known;
    for (let tries = 0; tries < ADDRESSES_PER_NODE; tries++) {
      const index = this.#next + 2;
      this.#next = (this.#next + 1) % ADDRESSES_PER_NODE;
      const address = `10.${244 + this.#subnet}.${index >> 8}.${index & 255}`;
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
