import { describe, expect, it } from "vitest";
import { StreamPacer } from "./stream-pacer.ts";

describe("the pacer of streams", () => {
  it("lets few streams continue at once, and finally all that waited", async () => {
    const pacer = new StreamPacer();
    const released: number[] = [];
    const waiting: number[] = [];
    for (let i = 0; i < 1_000; i++) if (pacer.written(() => released.push(i))) waiting.push(i);
    expect(waiting.length).toBe(800);
    expect(released).toEqual([]);
    while (released.length < waiting.length) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(released).toEqual(waiting);
    expect(pacer.written(() => undefined)).toBe(false);
  });
});
