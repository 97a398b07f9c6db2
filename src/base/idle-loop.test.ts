import { expect, it } from "vitest";
import { untilIdle, Wakeup } from "./idle-loop.ts";
import { countListeners, testClock } from "./testing.ts";

function start(): {
  clock: ReturnType<typeof testClock>;
  runs: number[];
  work: number[];
  wakeup: Wakeup;
  stop: AbortController;
  ended: Promise<void>;
} {
  const clock = testClock();
  const runs: number[] = [];
  const work: number[] = [];
  const wakeup = new Wakeup();
  const stop = new AbortController();
  const task = (): void => {
    runs.push(clock.monotonicMs());
    work.pop();
  };
  const ended = untilIdle(task, { periodMs: 100, clock, isIdle: () => work.length === 0, wakeup }, stop.signal);
  return { clock, runs, work, wakeup, stop, ended };
}

it("rests without a timer while idle, and continues at its next scheduled time when woken", async () => {
  const { clock, runs, work, wakeup, stop, ended } = start();
  await clock.advance(10_030);
  expect([runs, clock.pendingCount]).toEqual([[0], 0]);
  work.push(1, 2, 3);
  wakeup.wake();
  wakeup.wake();
  await clock.advance(10_000);
  expect([runs, clock.pendingCount]).toEqual([[0, 10_100, 10_200, 10_300], 0]);
  stop.abort();
  await clock.settle();
  await ended;
});

it("leaves no listener on the signal after many rests", async () => {
  const { clock, wakeup, stop, ended } = start();
  const count = countListeners(stop.signal);
  for (let i = 0; i < 5; i++) {
    await clock.advance(1_000);
    wakeup.wake();
  }
  await clock.advance(1_000);
  expect(count()).toBeLessThanOrEqual(1);
  stop.abort();
  await clock.settle();
  await ended;
});
