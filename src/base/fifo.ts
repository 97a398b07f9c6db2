// A first-in-first-out queue on a growing ring: push and shift are O(1) however long it gets.

export class Fifo<T> {
  #slots: (T | undefined)[] = new Array(16);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size++;
  }

  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size--;
    return item;
  }

  /** The length of the ring is a power of two, so that places wrap by a mask. */
  #grow(): void {
    const slots = this.#slots;
    this.#slots = [...slots.slice(this.#head), ...slots.slice(0, this.#head)];
    this.#slots.length = slots.length * 2;
    this.#head = 0;
  }
}
