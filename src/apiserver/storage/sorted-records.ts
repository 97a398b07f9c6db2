// An ordered collection of records by key: sorted blocks of bounded size, so that insertion and removal cost a search
// and a short move, whatever the number of records.

export interface KeyedRecord {
  readonly key: string;
}

const BLOCK_SIZE_MAX = 512;

export class SortedRecords<R extends KeyedRecord> {
  /** No block is empty, except in an empty collection. */
  readonly #blocks: R[][] = [[]];
  #size = 0;

  /** The key must not be present. */
  insert(record: R): void {
    const at = this.#blockFor(record.key);
    const block = this.#blocks[at] as R[];
    const last = block[block.length - 1];
    if (last === undefined || last.key < record.key) block.push(record);
    else block.splice(lowerBound(block, record.key), 0, record);
    this.#size++;
    if (block.length > BLOCK_SIZE_MAX) this.#split(at, block);
  }

  remove(key: string): void {
    const at = this.#blockFor(key);
    const block = this.#blocks[at] as R[];
    const index = lowerBound(block, key);
    if (block[index]?.key !== key) return;
    block.splice(index, 1);
    this.#size--;
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(at, 1);
  }

  /** Records whose key is at least `from`, in order. */
  *from(from: string): Generator<R> {
    let at = this.#blockFor(from);
    let index = lowerBound(this.#blocks[at] as R[], from);
    for (; at < this.#blocks.length; at++, index = 0) {
      const block = this.#blocks[at] as R[];
      for (; index < block.length; index++) yield block[index] as R;
    }
  }

  /** Like `from`, for callers that read many records; stops when the visitor returns false. */
  visit(from: string, visitor: (record: R) => boolean): void {
    let at = this.#blockFor(from);
    let index = lowerBound(this.#blocks[at] as R[], from);
    for (; at < this.#blocks.length; at++, index = 0) {
      const block = this.#blocks[at] as R[];
      for (; index < block.length; index++) if (!visitor(block[index] as R)) return;
    }
  }

  /** The number of records with keys from one key up to, but without, another; undefined: to the end. */
  countBetween(from: string, before: string | undefined): number {
    return (before === undefined ? this.#size : this.#rank(before)) - this.#rank(from);
  }

  /** The number of smaller keys. */
  #rank(key: string): number {
    const at = this.#blockFor(key);
    let rank = lowerBound(this.#blocks[at] as R[], key);
    for (let i = 0; i < at; i++) rank += (this.#blocks[i] as R[]).length;
    return rank;
  }

  /** Splits unevenly at the end, because keys often arrive in order: full blocks then stay full. */
  #split(at: number, block: R[]): void {
    const isLast = at === this.#blocks.length - 1;
    const tail = block.splice(isLast ? block.length - 32 : block.length >> 1);
    this.#blocks.splice(at + 1, 0, tail);
  }

  /** The last block whose first key is not greater than the key, or the first block. */
  #blockFor(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#blocks[middle]?.[0];
      if (first !== undefined && first.key <= key) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : low - 1;
  }
}

function lowerBound<R extends KeyedRecord>(block: readonly R[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((block[middle] as R).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
