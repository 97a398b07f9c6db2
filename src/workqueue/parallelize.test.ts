import { expect, it } from "vitest";
import { neverAborted, testClock } from "#base/testing.ts";
import { parallelizeUntil } from "./parallelize.ts";

it("does every piece once, with as many workers as allowed", async () => {
  const clock = testClock(0);
  const done: number[] = [];
  let active = 0;
  let peak = 0;
  const running = parallelizeUntil(
    3,
    10,
    async (piece, signal) => {
      peak = Math.max(peak, ++active);
      await clock.sleep(10, signal);
      active--;
      done.push(piece);
    },
    neverAborted(),
  );
  await clock.run("idle");
  await running;
  expect([done, peak, clock.now()]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 40]);
  await parallelizeUntil(3, 0, async () => undefined, neverAborted());
});

it("begins nothing after an abort", async () => {
  const controller = new AbortController();
  const started: number[] = [];
  await parallelizeUntil(
    2,
    10,
    async (piece) => {
      started.push(piece);
      if (piece === 1) controller.abort();
    },
    controller.signal,
  );
  expect(started).toEqual([0, 1]);
});
