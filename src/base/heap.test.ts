import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Heap, type HeapItem } from "./heap.ts";

class Item implements HeapItem {
  heapIndex = -1;
  rank: number;
  constructor(rank: number) {
    this.rank = rank;
  }
}

describe("Heap", () => {
  it("gives the smallest first, after any pushes, moves and removals", () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("push" as const), rank: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ kind: fc.constant("pop" as const) }),
      fc.record({ kind: fc.constant("remove" as const), pick: fc.nat() }),
      fc.record({ kind: fc.constant("fix" as const), pick: fc.nat(), rank: fc.integer({ min: 0, max: 50 }) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200, size: "max" }), (operations) => {
        const heap = new Heap<Item>((a, b) => a.rank < b.rank);
        const model = new Set<Item>();
        const pickOf = (pick: number): Item | undefined => [...model][pick % (model.size || 1)];
        for (const step of operations) {
          if (step.kind === "push") {
            const item = new Item(step.rank);
            heap.push(item);
            model.add(item);
          } else if (step.kind === "pop") {
            const popped = heap.pop();
            const least = Math.min(...[...model].map((item) => item.rank));
            expect(popped?.rank ?? Number.POSITIVE_INFINITY).toBe(least);
            if (popped) model.delete(popped);
          } else {
            const item = pickOf(step.pick);
            if (item === undefined) continue;
            if (step.kind === "remove") {
              heap.remove(item);
              heap.remove(item);
              model.delete(item);
              expect(item.heapIndex).toBe(-1);
            } else {
              item.rank = step.rank;
              heap.fix(item);
            }
          }
          expect(heap.size).toBe(model.size);
        }
        const drained: number[] = [];
        for (let item = heap.pop(); item; item = heap.pop()) drained.push(item.rank);
        expect(drained).toEqual([...model].map((item) => item.rank).sort((a, b) => a - b));
      }),
    );
  });

  it("clear forgets all items", () => {
    const heap = new Heap<Item>((a, b) => a.rank < b.rank);
    const item = new Item(1);
    heap.push(item);
    heap.clear();
    expect([heap.size, heap.peek(), item.heapIndex]).toEqual([0, undefined, -1]);
  });
});
