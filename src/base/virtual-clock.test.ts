import { describe, expect, it } from "vitest";
import { clockContract } from "./clock.contract.ts";
import type { Rng } from "./rng.ts";
import { seededRng } from "./seeded-rng.ts";
import { hostTurn, neverAborted, testClock } from "./testing.ts";
import { VirtualClock, virtualStartMs } from "./virtual-clock.ts";

clockContract("the virtual clock", () => {
  const clock = testClock();
  return {
    clock,
    async drive(promise) {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      promise.then(settle, settle);
      await clock.runUntil(() => isSettled, 60_000);
      return await promise;
    },
  };
});

describe("VirtualClock", () => {
  it("starts at a fixed wall time and moves exactly", async () => {
    const clock = testClock();
    expect(clock.now()).toBe(virtualStartMs);
    await clock.advance(1500.25);
    expect([clock.now() - virtualStartMs, clock.monotonicMs()]).toEqual([1500.25, 1500.25]);
    expect(testClock(42).now()).toBe(42);
  });

  it("run(until) fires the due timers and leaves the rest", async () => {
    const clock = testClock(0);
    const fired: number[] = [];
    for (const ms of [30, 10, 20]) clock.after(ms, () => fired.push(ms));
    await clock.run(20);
    expect([fired, clock.now(), clock.pendingCount, clock.nextAtMs]).toEqual([[10, 20], 20, 1, 30]);
    await clock.run("idle");
    expect([fired, clock.now(), clock.firedCount]).toEqual([[10, 20, 30], 30, 3]);
  });

  it("lets everything settle between two timers of the same time", async () => {
    const clock = testClock();
    const seen: string[] = [];
    const worker = async (name: string): Promise<void> => {
      await clock.sleep(5, neverAborted());
      for (let i = 0; i < 3; i++) {
        seen.push(`${name}${i}`);
        await Promise.resolve();
      }
    };
    const all = Promise.all([worker("a"), worker("b")]);
    await clock.run("idle");
    await all;
    expect(seen).toEqual(["a0", "a1", "a2", "b0", "b1", "b2"]);
  });

  it("settle lets no time pass but fires timers that are due", async () => {
    const clock = testClock(0);
    const seen: string[] = [];
    clock.after(0, () => seen.push("now"));
    clock.after(1, () => seen.push("later"));
    await clock.settle();
    expect([seen, clock.now()]).toEqual([["now"], 0]);
  });

  it("runUntil stops at the condition or says that it never held", async () => {
    const clock = testClock(0);
    let count = 0;
    const tick = (): void => {
      count++;
      clock.after(1000, tick);
    };
    tick();
    expect(await clock.runUntil(() => count === 5, 60_000)).toBe(true);
    expect(clock.now()).toBe(4000);
    expect(await clock.runUntil(() => count < 0, 10_000)).toBe(false);
  });

  it("a stalled process finds its timers late; a set wall clock moves no timer", async () => {
    const clock = testClock(0);
    const firedAt: number[] = [];
    clock.after(10, () => firedAt.push(clock.monotonicMs()));
    clock.after(30_000, () => firedAt.push(clock.monotonicMs()));
    clock.stall(20_000);
    clock.stepWall(-5_000);
    expect(clock.now()).toBe(15_000);
    await clock.run("idle");
    expect(firedAt).toEqual([20_000, 30_000]);
  });

  it("refuses to run twice at once, and to take NaN for a time", async () => {
    const clock = testClock();
    const running = clock.advance(1);
    await expect(clock.advance(1)).rejects.toThrow("already running");
    await running;
    expect(() => clock.after(Number.NaN, () => undefined)).toThrow("number of milliseconds");
  });

  it("passes on what a timer throws and can run on", async () => {
    const clock = testClock();
    clock.after(1, () => {
      throw new Error("broken");
    });
    await expect(clock.run("idle")).rejects.toThrow("broken");
    await clock.advance(1);
  });
});

async function* numbers(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) {
    await Promise.resolve();
    yield i;
  }
}

/**
 * 100,000 timers in chains that sleep, await through several layers, cancel and draw random numbers; the trace is
 * hashed.
 */
async function traceHash(seed: string): Promise<{ hash: number; fired: number; now: number }> {
  const clock = new VirtualClock({ turn: hostTurn, startMs: 0 });
  let hash = 0x811c9dc5;
  const fold = (value: number): void => {
    hash = Math.imul(hash ^ value, 0x01000193) >>> 0;
  };
  const inner = async (depth: number): Promise<number> => (depth === 0 ? 1 : 1 + (await inner(depth - 1)));
  const chain = async (id: number, rng: Rng): Promise<void> => {
    for (let step = 0; step < 100; step++) {
      using cancelled = clock.after(rng.below(1000), () => fold(-1));
      await clock.sleep(rng.below(50), neverAborted());
      fold(id);
      fold(Math.trunc(clock.now()));
      fold(await inner(1 + (step % 4)));
      for await (const number of numbers(2)) fold(number);
      fold(Number(cancelled.isPending));
    }
  };
  const root = seededRng(seed);
  const chains = Array.from({ length: 1000 }, (_, id) => chain(id, root.fork(`chain-${id}`)));
  await clock.run("idle");
  await Promise.all(chains);
  return { hash, fired: clock.firedCount, now: clock.now() };
}

describe("determinism", () => {
  it("runs 100,000 timers with nested awaits twice with the same trace, on every runtime", async () => {
    const first = await traceHash("seed");
    expect(await traceHash("seed")).toEqual(first);
    expect(first.fired).toBeGreaterThanOrEqual(100_000);
    // The same numbers on Bun and on Node.
    expect(first).toEqual({ hash: 1341379204, fired: 102533, now: 3042 });
    expect((await traceHash("another seed")).hash).not.toBe(first.hash);
  }, 180_000);
});
