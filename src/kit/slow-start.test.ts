import { describe, expect, it } from "vitest";
import { allAtOnce, slowStart } from "./slow-start.ts";

describe("slow start", () => {
  it("machinery/5.7.5, workloads/slow-start doubles its batches and stops after the first batch with an error", async () => {
    const calls: number[] = [];
    let running = 0;
    const widths: number[] = [];
    const result = await slowStart(20, async (index) => {
      calls.push(index);
      running++;
      await Promise.resolve();
      widths.push(running);
      running--;
      if (index === 5) throw new Error("no");
    });
    expect(calls).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(result.succeeded).toBe(6);
    expect(result.error).toEqual(new Error("no"));
    expect(Math.max(...widths)).toBe(4);
  });

  it("reports the error of the lowest index, whichever came first", async () => {
    const { error } = await slowStart(
      4,
      async (index) => {
        if (index === 0) await Promise.resolve();
        throw new Error(`call ${index}`);
      },
      { firstBatch: 4 },
    );
    expect(error).toEqual(new Error("call 0"));
  });

  it("runs everything when nothing fails, and nothing when there is nothing", async () => {
    let count = 0;
    expect(await slowStart(7, async () => void count++)).toEqual({ succeeded: 7, error: undefined });
    expect(await slowStart(0, async () => void count++)).toEqual({ succeeded: 0, error: undefined });
    expect(count).toBe(7);
  });

  it("waits for all parallel calls before it reports", async () => {
    const ended: number[] = [];
    const error = await allAtOnce([0, 1, 2], async (item) => {
      await Promise.resolve();
      ended.push(item);
      if (item === 1) throw new Error("one");
    });
    expect(ended).toEqual([0, 1, 2]);
    expect(error).toEqual(new Error("one"));
  });

  const cases = [
    { what: "all fail", limit: 0, succeeded: 0, calls: 1 },
    { what: "all succeed", limit: 10, succeeded: 10, calls: 10 },
    { what: "some succeed", limit: 5, succeeded: 5, calls: 7 },
  ] as const;
  for (const { what, limit, succeeded, calls } of cases) {
    it(`replicaset/tests slow start of ten calls: ${what}`, async () => {
      let count = 0;
      const result = await slowStart(10, async () => {
        if (++count > limit) throw new Error("no");
      });
      expect(result.succeeded).toBe(succeeded);
      expect(result.error !== undefined).toBe(limit < 10);
      expect(count).toBe(calls);
    });
  }
});
