// A map of recently used entries. When it is full, all entries become old; old entries that are not used again are
// dropped when it is full the next time. A lookup takes two steps at most, without bookkeeping per use.

export class RecentMap<K, V> {
  readonly #max: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  /** The map keeps at least the last `max` entries, and at most twice as many. */
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
