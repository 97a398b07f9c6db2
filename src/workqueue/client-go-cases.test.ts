// The cases by which client-go tests its queues, limiters and metrics, on the virtual clock. The case about freed
// memory is left out: a test cannot inspect the host's memory.

import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createDelayingQueue, type DelayingQueue } from "./delaying-queue.ts";
import { parallelizeUntil } from "./parallelize.ts";
import { createQueue, type Queue } from "./queue.ts";
import {
  itemExponentialLimiter,
  itemFastSlowLimiter,
  maxOfLimiter,
  maxWaitLimiter,
  type RateLimiter,
} from "./rate-limiters.ts";
import { createRateLimitingQueue } from "./rate-limiting-queue.ts";

const never = neverAborted();
type Ending = "shutDown" | "shutDownWithDrain";
const endings: readonly Ending[] = ["shutDown", "shutDownWithDrain"];

describe("machinery/8.r6 the queue", () => {
  it.each(endings)("fifty producers, ten consumers, then %s: nothing is left, nothing comes after", async (ending) => {
    const clock = testClock();
    const queue = createQueue<number | string>({ clock });
    const worked = new Set<number | string>();
    const produce = async (i: number): Promise<void> => {
      for (let j = 0; j < 50; j++) {
        queue.add(i);
        await clock.sleep(1, never);
      }
    };
    const consume = async (): Promise<void> => {
      for (let key = await queue.get(never); key !== undefined; key = await queue.get(never)) {
        await clock.sleep(3, never);
        worked.add(key);
        queue.done(key);
      }
    };
    const consumers = Array.from({ length: 10 }, consume);
    const producers = Array.from({ length: 50 }, (_, i) => produce(i));
    await clock.advance(60);
    await Promise.all(producers);
    const ended = queue[ending](never);
    queue.add("added after shutdown!");
    await clock.advance(1000);
    await Promise.all([...consumers, ended]);
    expect([queue.length(), worked.size, worked.has("added after shutdown!")]).toEqual([0, 50, false]);
  });

  it.each(endings)("workers that add what they work on, then %s: nothing is left", async (ending) => {
    const queue = createQueue<number>({ clock: testClock() });
    const consume = async (): Promise<void> => {
      const seen = new Map<number, number>();
      for (let key = await queue.get(never); key !== undefined; key = await queue.get(never)) {
        seen.set(key, (seen.get(key) ?? 0) + 1);
        if ((seen.get(key) ?? 0) < 2) queue.add(key);
        queue.done(key);
      }
    };
    const consumers = Array.from({ length: 10 }, consume);
    for (let i = 0; i < 50; i++) queue.add(i);
    await queue[ending](never);
    await Promise.all(consumers);
    expect(queue.length()).toBe(0);
  });

  it("its length counts keys, not adds", () => {
    const queue = createQueue<string>({ clock: testClock() });
    const lengths = ["foo", "bar", "foo"].map((key) => {
      queue.add(key);
      return queue.length();
    });
    expect(lengths).toEqual([1, 2, 2]);
  });

  it("a key added while it is worked on comes back once", async () => {
    const queue = await working("foo");
    queue.add("foo");
    queue.done("foo");
    expect(await queue.get(never)).toBe("foo");
    queue.done("foo");
    expect(queue.length()).toBe(0);
  });

  it("two adds are one", async () => {
    const queue = createQueue<string>({ clock: testClock() });
    queue.add("bar");
    queue.add("bar");
    expect(await queue.get(never)).toBe("bar");
    queue.done("bar");
    expect(queue.length()).toBe(0);
  });

  it("two adds while it is worked on are one, for which another worker has to wait", async () => {
    const clock = testClock();
    const queue = await working("foo");
    queue.add("foo");
    queue.add("foo");
    let other: string | undefined;
    void queue.get(never).then((key) => {
      other = key;
    });
    await clock.advance(100);
    expect(other).toBeUndefined();
    queue.done("foo");
    await clock.advance(0);
    expect(other).toBe("foo");
    queue.done("foo");
    expect(queue.length()).toBe(0);
  });

  it("a drain waits for both that are worked on, shutDown for neither, and ends a drain", async () => {
    const drained = await working("foo", "bar");
    let isDrained = false;
    const drain = drained.shutDownWithDrain(never).then(() => {
      isDrained = true;
    });
    expect(await drained.get(never)).toBeUndefined();
    drained.done("foo");
    await testClock().advance(0);
    expect(isDrained).toBe(false);
    drained.done("bar");
    await drain;

    (await working("foo", "bar")).shutDown();

    const forced = await working("foo", "bar");
    const waiting = forced.shutDownWithDrain(never);
    forced.shutDown();
    await waiting;
  });

  it("a drain leaves a key to be worked on that was added again", async () => {
    const queue = await working("foo");
    queue.add("foo");
    const drain = queue.shutDownWithDrain(never);
    expect(await queue.get(never)).toBeUndefined();
    queue.done("foo");
    expect(await queue.get(never)).toBe("foo");
    queue.done("foo");
    expect(await queue.get(never)).toBeUndefined();
    await drain;
  });
});

/** A queue whose workers hold these keys. */
async function working(...keys: string[]): Promise<Queue<string>> {
  const queue = createQueue<string>({ clock: testClock() });
  for (const key of keys) queue.add(key);
  for (const key of keys) expect(await queue.get(never)).toBe(key);
  return queue;
}

describe("machinery/8.r6 the delaying queue", () => {
  type Step =
    | { readonly add: string; readonly afterMs: number }
    | { readonly passMs: number; readonly brings: readonly string[] };
  const play = async (steps: readonly Step[]): Promise<void> => {
    const clock = testClock();
    const queue: DelayingQueue<string> = createDelayingQueue({ clock });
    for (const step of steps) {
      if ("add" in step) {
        queue.addAfter(step.add, step.afterMs);
        expect(queue.length()).toBe(0);
        continue;
      }
      await clock.advance(step.passMs);
      expect(queue.length()).toBe(step.brings.length);
      for (const expected of step.brings) {
        expect(await queue.get(never)).toBe(expected);
        queue.done(expected);
      }
    }
  };

  it.each<{ what: string; steps: readonly Step[] }>([
    {
      what: "a key comes at its time, and not again",
      steps: [
        { add: "foo", afterMs: 50 },
        { passMs: 60, brings: ["foo"] },
        { passMs: 10_000, brings: [] },
      ],
    },
    {
      what: "of two times of one key the earlier counts, whichever came first",
      steps: [
        { add: "foo", afterMs: 50 },
        { add: "foo", afterMs: 70 },
        { passMs: 60, brings: ["foo"] },
        { passMs: 20, brings: [] },
        { add: "foo", afterMs: 50 },
        { add: "foo", afterMs: 30 },
        { passMs: 40, brings: ["foo"] },
        { passMs: 20, brings: [] },
      ],
    },
    {
      what: "the earlier of two keys comes first",
      steps: [
        { add: "foo", afterMs: 1000 },
        { add: "bar", afterMs: 50 },
        { passMs: 60, brings: ["bar"] },
        { add: "baz", afterMs: 2000 },
        { passMs: 1000, brings: ["foo"] },
        { passMs: 2000, brings: ["baz"] },
      ],
    },
    {
      what: "keys whose times have all passed come in the order of their times",
      steps: [
        { add: "foo", afterMs: 1000 },
        { add: "bar", afterMs: 500 },
        { add: "baz", afterMs: 250 },
        { passMs: 2000, brings: ["baz", "bar", "foo"] },
      ],
    },
  ])("$what", ({ steps }) => play(steps));

  it("a limiter says after how long", async () => {
    const clock = testClock();
    const limiter = itemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    const queue = createRateLimitingQueue({ clock, limiter });
    const delayOf = async (key: string): Promise<number> => {
      const startMs = clock.monotonicMs();
      queue.addRateLimited(key);
      let endMs = -1;
      void queue.get(never).then(() => {
        endMs = clock.monotonicMs();
      });
      await clock.runUntil(() => endMs >= 0, 10_000);
      queue.done(key);
      return endMs - startMs;
    };
    expect([await delayOf("one"), await delayOf("one"), queue.numRequeues("one")]).toEqual([1, 2, 2]);
    expect([await delayOf("two"), await delayOf("two")]).toEqual([1, 2]);
    queue.forget("one");
    expect([queue.numRequeues("one"), await delayOf("one")]).toEqual([0, 1]);
  });
});

describe("machinery/8.r6 limiters", () => {
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const fastSlow = (slowMs: number) => itemFastSlowLimiter({ fastMs: 5, slowMs, fastAttemptsMax: 3 });
  const exponential = itemExponentialLimiter;

  it.each<{ what: string; limiter: () => RateLimiter; delays: readonly number[] }>([
    { what: "exponential", limiter: () => exponential({ baseMs: 1, maxMs: SECOND }), delays: [1, 2, 4, 8, 16] },
    { what: "fast, then slow", limiter: () => fastSlow(10 * SECOND), delays: [5, 5, 5, 10 * SECOND, 10 * SECOND] },
    {
      what: "the longest of both",
      limiter: () => maxOfLimiter(fastSlow(3 * SECOND), exponential({ baseMs: 1, maxMs: SECOND })),
      delays: [5, 5, 5, 3 * SECOND, 3 * SECOND],
    },
  ])("$what: counts each key by itself until it is forgotten", ({ limiter, delays }) => {
    const made = limiter();
    expect(delays.map(() => made.when("one"))).toEqual([...delays]);
    expect(made.numRequeues("one")).toBe(5);
    expect([made.when("two"), made.when("two"), made.numRequeues("two")]).toEqual([...delays.slice(0, 2), 2]);
    made.forget("one");
    expect([made.numRequeues("one"), made.when("one")]).toEqual([0, delays[0] as number]);
  });

  it.each([
    { baseMs: 1, maxMs: 1000 * SECOND, failures: 5, next: 32 },
    { baseMs: 1, maxMs: 1000 * SECOND, failures: 1000, next: 1000 * SECOND },
    { baseMs: MINUTE, maxMs: 1000 * HOUR, failures: 2, next: 4 * MINUTE },
    { baseMs: MINUTE, maxMs: 1000 * HOUR, failures: 1000, next: 1000 * HOUR },
  ])("exponential from $baseMs to $maxMs: after $failures failures $next", ({ baseMs, maxMs, failures, next }) => {
    const limiter = exponential({ baseMs, maxMs });
    for (let i = 0; i < failures; i++) limiter.when("one");
    expect(limiter.when("one")).toBe(next);
  });

  it("a longest wait bounds any limiter", () => {
    let count = 0;
    const step: RateLimiter = {
      when: () => (++count <= 100 ? 5 : 1000 * SECOND),
      forget: () => undefined,
      numRequeues: () => 0,
    };
    const limiter = maxWaitLimiter(step, 500 * SECOND);
    const waits = Array.from({ length: 200 }, (_, i) => limiter.when(i));
    expect([new Set(waits.slice(0, 100)), new Set(waits.slice(100))]).toEqual([new Set([5]), new Set([500 * SECOND])]);
  });
});

describe("machinery/8.r6 metrics", () => {
  it("follow a key that is added again and again while it is worked on", async () => {
    const clock = testClock();
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const queue = createQueue<string>({ clock, name: "test", metrics });
    const value = (name: string): number | undefined => metrics.value(`workqueue_${name}`, ["test"]);
    const series = (name: string): string[] =>
      metrics
        .render()
        .split("\n")
        .filter((line) => /_(sum|count)\{/.test(line) && line.startsWith(`workqueue_${name}`))
        .map((line) => line.split(" ").at(-1) ?? "");
    queue.add("foo");
    expect([value("adds_total"), value("depth")]).toEqual([1, 1]);
    await clock.advance(500);
    await queue.get(never);
    expect(series("queue_duration_seconds")).toEqual(["0.5", "1"]);
    for (let i = 0; i < 5; i++) queue.add("foo");
    expect([value("adds_total"), value("depth")]).toEqual([2, 1]);
    await clock.advance(250);
    queue.done("foo");
    expect([series("work_duration_seconds"), value("depth")]).toEqual([["0.25", "1"], 1]);
    await queue.get(never);
    expect(series("queue_duration_seconds")).toEqual(["0.75", "2"]);
    await clock.advance(1000);
    expect([value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([1, 1]);
    queue.done("foo");
    expect(series("work_duration_seconds")).toEqual(["1.25", "2"]);
    queue.shutDown();
    await clock.advance(3_600_000);
    expect(value("unfinished_work_seconds")).toBe(0);
  });
});

it.each([
  { pieces: 1000, workers: 10 },
  { pieces: 999, workers: 10 },
  { pieces: 3, workers: 10 },
])("machinery/8.r6 $pieces pieces, $workers workers: each piece once", async ({ pieces, workers }) => {
  const seen = Array<number>(pieces).fill(0);
  await parallelizeUntil(
    workers,
    pieces,
    async (piece) => {
      seen[piece] = (seen[piece] ?? 0) + 1;
    },
    never,
  );
  expect(new Set(seen)).toEqual(new Set([1]));
});
