import { describe, expect, it } from "vitest";
import { Slots } from "./slots.ts";

const never = new AbortController().signal;

describe("slots", () => {
  it("admits as many as the limit at once, and the others in order", async () => {
    const slots = new Slots(2);
    expect(slots.take(never)).toBeUndefined();
    expect(slots.take(never)).toBeUndefined();
    const entered: string[] = [];
    const waits = ["a", "b", "c"].map(async (name) => {
      await slots.take(never);
      entered.push(name);
    });
    await Promise.resolve();
    expect(entered).toEqual([]);
    for (const _ of waits) slots.give();
    await Promise.all(waits);
    expect(entered).toEqual(["a", "b", "c"]);
    slots.give();
    slots.give();
    expect(slots.take(never)).toBeUndefined();
    expect(slots.take(never)).toBeUndefined();
    expect(slots.take(never)).toBeInstanceOf(Promise);
  });

  it("a caller that stops waiting takes no slot", async () => {
    const slots = new Slots(1);
    await slots.take(never);
    const controller = new AbortController();
    const reason = new Error("enough");
    const waiting = slots.take(controller.signal);
    const next = slots.take(never);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    slots.give();
    await next;
    expect(() => slots.take(controller.signal)).toThrow(reason);
  });
});
