// A binary min-heap whose items know their position, so that any item can be moved or removed in O(log n). The heap
// does not break ties: use a comparator with a total order.

export interface HeapItem {
  /** Owned by the heap: the item's position, or -1 when it is in no heap. */
  heapIndex: number;
}

export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isLess: (a: T, b: T) => boolean;

  constructor(isLess: (a: T, b: T) => boolean) {
    this.#isLess = isLess;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.heapIndex = this.#items.length;
    this.#items.push(item);
    this.#up(item);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  /** Removes the item; does nothing for an item that is in no heap. */
  remove(item: T): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as T;
    if (last === item) return;
    last.heapIndex = index;
    this.#items[index] = last;
    this.fix(last);
  }

  /** Restores the order after the item's rank changed. */
  fix(item: T): void {
    if (!this.#up(item)) this.#down(item);
  }

  clear(): void {
    for (const item of this.#items) item.heapIndex = -1;
    this.#items.length = 0;
  }

  #up(item: T): boolean {
    const items = this.#items;
    const start = item.heapIndex;
    let index = start;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex] as T;
      if (!this.#isLess(item, parent)) break;
      items[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    items[index] = item;
    item.heapIndex = index;
    return index !== start;
  }

  #down(item: T): void {
    const items = this.#items;
    const size = items.length;
    let index = item.heapIndex;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= size) break;
      let child = items[childIndex] as T;
      const right = items[childIndex + 1];
      if (right !== undefined && this.#isLess(right, child)) {
        child = right;
        childIndex++;
      }
      if (!this.#isLess(child, item)) break;
      items[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    items[index] = item;
    item.heapIndex = index;
  }
}
