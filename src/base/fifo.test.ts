import fc from "fast-check";
import { expect, it } from "vitest";
import { Fifo } from "./fifo.ts";

it("Fifo gives back what was pushed, in order, through growth and wrap-around", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 50, size: "max" }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let i = 0; i < step; i++) {
          fifo.push(next);
          model.push(next++);
        }
        for (let i = step; i < 0; i++) {
          expect(fifo.peek()).toBe(model[0]);
          expect(fifo.shift()).toBe(model.shift());
        }
        expect(fifo.size).toBe(model.length);
      }
    }),
  );
});
