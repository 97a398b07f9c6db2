import { describe, expect, it } from "vitest";
import { clockContract } from "./clock.contract.ts";
import { PacedClock } from "./paced-clock.ts";
import { hostTurn, testClock } from "./testing.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { until } from "./wait.ts";

function start(speed: number): { pace: VirtualClock; clock: PacedClock } {
  const pace = testClock();
  return { pace, clock: new PacedClock({ pace, speed, turn: hostTurn }) };
}

clockContract("a clock that runs 60 times faster", () => {
  const { pace, clock } = start(60);
  return {
    clock,
    async drive(promise) {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) {
        await pace.advance(1);
        await hostTurn();
      }
      return promise;
    },
  };
});

/** The paced clock takes host turns by itself: time advances when it has settled. */
async function pass(pace: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    await pace.advance(Math.min(10, left));
    for (let turns = 0; turns < 200; turns++) await hostTurn();
  }
}

describe("a clock that runs faster than another", () => {
  it("begins at the other's time and reads a multiple of what has passed", async () => {
    const { pace, clock } = start(60);
    const begin = pace.now();
    expect([clock.now(), clock.monotonicMs()]).toEqual([begin, 0]);
    await pace.advance(1_000);
    expect([clock.now(), clock.monotonicMs()]).toEqual([begin + 60_000, 60_000]);
  });

  it("fires each timer at its own time, in order, though many are due at once", async () => {
    const { pace, clock } = start(1_000);
    const ticks: number[] = [];
    const stop = new AbortController();
    void until(() => void ticks.push(clock.monotonicMs()), 1_000, clock, stop.signal);
    await pass(pace, 50);
    expect(ticks.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, i) => i * 1_000));
    stop.abort();
  });

  it("does not make up for more than a moment when the machine stood still", async () => {
    const { pace, clock } = start(10);
    let ticks = 0;
    const stop = new AbortController();
    void until(() => void ticks++, 1_000, clock, stop.signal);
    await pass(pace, 100);
    expect(ticks).toBe(2);
    pace.stall(3_600_000);
    await pass(pace, 100);
    expect(ticks).toBeLessThan(6);
    expect(clock.monotonicMs()).toBeLessThan(5_000);
    stop.abort();
  });
});
