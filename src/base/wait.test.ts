import { describe, expect, it } from "vitest";
import { seededRng } from "./seeded-rng.ts";
import { neverAborted, testClock } from "./testing.ts";
import { jitterUntil, pollImmediate, pollUntil, until } from "./wait.ts";

describe("wait loops", () => {
  it("machinery/5.9.2 until runs at once, then waits the period after each run", async () => {
    const clock = testClock(0);
    const controller = new AbortController();
    const ranAt: number[] = [];
    const loop = until(
      async (signal) => {
        ranAt.push(clock.now());
        await clock.sleep(30, signal);
      },
      100,
      clock,
      controller.signal,
    );
    clock.after(300, () => controller.abort());
    await clock.run("idle");
    await loop;
    expect(ranAt).toEqual([0, 130, 260].slice(0, ranAt.length));
    expect(ranAt.length).toBe(3);
  });

  it("machinery/5.9.2 jitterUntil draws each pause; not sliding, it counts from the start of the run", async () => {
    const clock = testClock(0);
    const run = async (factor: number, isSliding: boolean): Promise<number[]> => {
      const controller = new AbortController();
      const start = clock.now();
      const ranAt: number[] = [];
      const loop = jitterUntil(
        async () => {
          ranAt.push(clock.now() - start);
          await clock.sleep(30, neverAborted());
        },
        { periodMs: 100, factor, isSliding, clock, rng: seededRng(1) },
        controller.signal,
      );
      clock.after(350, () => controller.abort());
      await clock.run("idle");
      await loop;
      return ranAt;
    };
    expect(await run(0, false)).toEqual([0, 100, 200, 300]);
    expect(await run(0, true)).toEqual([0, 130, 260]);
    const [first = 0, second = 0] = await run(1, true);
    expect(second - first >= 130 && second - first < 230).toBe(true);
  });

  it("machinery/5.9.2 pollUntil checks first on request, then at each tick", async () => {
    const clock = testClock(0);
    const poll = async (isImmediate: boolean, busyMs: number): Promise<number[]> => {
      const start = clock.now();
      const checkedAt: number[] = [];
      const done = pollUntil(
        async () => {
          checkedAt.push(clock.now() - start);
          if (busyMs > 0) await clock.sleep(busyMs, neverAborted());
          return checkedAt.length === 3;
        },
        { intervalMs: 100, isImmediate, clock },
        neverAborted(),
      );
      await clock.run("idle");
      await done;
      return checkedAt;
    };
    expect(await poll(true, 0)).toEqual([0, 100, 200]);
    expect(await poll(false, 0)).toEqual([100, 200, 300]);
    expect(await poll(true, 40)).toEqual([0, 100, 200]);
    expect(await poll(true, 250)).toEqual([0, 250, 500]);
  });

  it.each([
    ["at each tick, and once more when its time is over", 0, [0, 20, 40, 60, 80, 100, 100]],
    ["at the ticks that it is free for", 50, [0, 70, 130, 180]],
  ])("machinery/5.9.2 pollImmediate checks first, then %s", async (_, checkMs, expected) => {
    const clock = testClock(0);
    const checkedAt: number[] = [];
    const check = async (signal: AbortSignal): Promise<boolean> => {
      checkedAt.push(clock.now());
      if (checkMs > 0) await clock.sleep(checkMs, signal);
      return false;
    };
    const outcome = pollImmediate(check, { intervalMs: 20, timeoutMs: 100, clock }, neverAborted());
    await clock.run("idle");
    expect([await outcome, checkedAt]).toEqual([false, expected]);
    checkedAt.length = 0;
    const second = (): boolean => checkedAt.push(clock.now()) === 2;
    const held = pollImmediate(second, { intervalMs: 20, timeoutMs: 100, clock }, neverAborted());
    await clock.run("idle");
    expect([await held, checkedAt.length]).toEqual([true, 2]);
  });

  it("pollUntil ends with the signal's reason", async () => {
    const clock = testClock(0);
    const controller = new AbortController();
    const polling = pollUntil(() => false, { intervalMs: 10, isImmediate: false, clock }, controller.signal).catch(
      (error: unknown) => error,
    );
    clock.after(25, () => controller.abort("stop"));
    await clock.run("idle");
    expect([await polling, clock.now()]).toEqual(["stop", 25]);
  });
});
