import { beforeEach, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { TimedWork } from "./timed-work.ts";

let clock: VirtualClock;
let stop: AbortController;
let finished: string[];
let work: TimedWork;
let running: Promise<void>;

beforeEach(() => {
  clock = testClock();
  stop = new AbortController();
  finished = [];
  work = new TimedWork(clock, async (key, _dueMs, signal) => {
    await clock.sleep(10, signal);
    finished.push(key);
  });
  running = work.run(stop.signal);
});

it("taint-eviction/tests does work at once or after its time, once for each key", async () => {
  work.add("now", 0);
  work.add("later", 1_000);
  work.add("later", 0);
  await clock.advance(500);
  expect(finished).toEqual(["now"]);
  await clock.advance(600);
  expect(finished).toEqual(["now", "later"]);
  expect(work.has("later")).toBe(false);
});

it("taint-eviction/tests cancels what waits, and lets it be added again", async () => {
  work.add("a", 1_000);
  expect(work.cancel("a")).toBe(true);
  expect(work.cancel("a")).toBe(false);
  await clock.advance(2_000);
  expect(finished).toEqual([]);
  work.add("a", 1_000);
  await clock.advance(1_010);
  expect(finished).toEqual(["a"]);
});

it("does not call work that was due at once cancelled", async () => {
  work.add("now", 0);
  expect(work.cancel("now")).toBe(false);
  await clock.advance(10);
  expect(finished).toEqual(["now"]);
});

it("ends with its signal: what waits never happens", async () => {
  work.add("later", 1_000);
  stop.abort();
  await clock.advance(2_000);
  await running.catch(() => undefined);
  expect([finished, work.has("later")]).toEqual([[], false]);
});
