// A map that remembers what was used of late: when it is full, everything becomes old, and what is not asked for again
// goes when it is full the next time. Two lookups at most, no bookkeeping per use.

export class RecentMap<K, V> {
  readonly #max: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  /** At least this many of the last entries are kept, and at most twice as many. */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) {
      this.#older.delete(key);
      this.set(key, older);
    }
    return older;
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#max) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
