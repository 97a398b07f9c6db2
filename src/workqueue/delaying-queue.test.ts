import { describe, expect, it } from "vitest";
import { neverAborted, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { createDelayingQueue, type DelayingQueue } from "./delaying-queue.ts";
import { itemExponentialLimiter } from "./rate-limiters.ts";
import { createRateLimitingQueue } from "./rate-limiting-queue.ts";

function collect(queue: DelayingQueue<string>, clock: VirtualClock): string[] {
  const seen: string[] = [];
  const worker = async (): Promise<void> => {
    for (let key = await queue.get(neverAborted()); key !== undefined; key = await queue.get(neverAborted())) {
      seen.push(`${key}@${clock.now()}`);
      queue.done(key);
    }
  };
  void worker();
  return seen;
}

describe("DelayingQueue", () => {
  it("machinery/5.6.5 adds at the time, keeps the earlier of two, and at once when there is nothing to wait for", async () => {
    const clock = testClock(0);
    const queue = createDelayingQueue<string>({ clock });
    const seen = collect(queue, clock);
    queue.addAfter("later", 50);
    queue.addAfter("soon", 10);
    queue.addAfter("moved", 100);
    queue.addAfter("moved", 20);
    queue.addAfter("moved", 30);
    queue.addAfter("now", 0);
    queue.addAfter("past", -5);
    await clock.run("idle");
    expect(seen).toEqual(["now@0", "past@0", "soon@10", "moved@20", "later@50"]);
  });

  it("machinery/5.6.5 a delayed add and an immediate one are independent: the key runs twice", async () => {
    const clock = testClock(0);
    const queue = createDelayingQueue<string>({ clock });
    const seen = collect(queue, clock);
    queue.addAfter("a", 10);
    queue.add("a");
    await clock.run("idle");
    expect(seen).toEqual(["a@0", "a@10"]);
  });

  it("keeps the order of adds for equal times, with one timer for all keys", async () => {
    const clock = testClock(0);
    const queue = createDelayingQueue<string>({ clock });
    const seen = collect(queue, clock);
    const keys = Array.from({ length: 1000 }, (_, i) => `k${i}`);
    for (const key of keys) queue.addAfter(key, 100);
    expect(clock.pendingCount).toBe(1);
    await clock.run("idle");
    expect(seen).toEqual(keys.map((key) => `${key}@100`));
  });

  it.each(["shutDown", "shutDownWithDrain"] as const)("%s drops what waits, and its timer", async (how) => {
    const clock = testClock(0);
    const queue = createDelayingQueue<string>({ clock });
    const seen = collect(queue, clock);
    queue.addAfter("a", 10);
    void queue[how](neverAborted());
    queue.addAfter("b", 0);
    expect(clock.pendingCount).toBe(0);
    await clock.run("idle");
    expect(seen).toEqual([]);
  });

  it("finds keys due after the process stood still", async () => {
    const clock = testClock(0);
    const queue = createDelayingQueue<string>({ clock });
    const seen = collect(queue, clock);
    queue.addAfter("b", 20);
    queue.addAfter("a", 10);
    clock.stall(1000);
    await clock.run("idle");
    expect(seen).toEqual(["a@1000", "b@1000"]);
  });
});

describe("RateLimitingQueue", () => {
  it("machinery/5.6.6 waits as the limiter says; forget clears the failures, not a pending add", async () => {
    const clock = testClock(0);
    const queue = createRateLimitingQueue<string>({
      clock,
      limiter: itemExponentialLimiter({ baseMs: 5, maxMs: 1000 }),
    });
    const seen = collect(queue, clock);
    for (const expected of [5, 15, 35]) {
      queue.addRateLimited("a");
      await clock.run("idle");
      expect(seen.at(-1)).toBe(`a@${expected}`);
    }
    expect(queue.numRequeues("a")).toBe(3);
    queue.addRateLimited("a");
    queue.forget("a");
    expect(queue.numRequeues("a")).toBe(0);
    await clock.run("idle");
    expect(seen.at(-1)).toBe("a@75");
    queue.addRateLimited("a");
    await clock.run("idle");
    expect(seen.at(-1)).toBe("a@80");
  });

  it("machinery/5.6.7 takes the default controller limiter unless told otherwise", async () => {
    const clock = testClock(0);
    const queue = createRateLimitingQueue<string>({ clock });
    const seen = collect(queue, clock);
    for (let i = 0; i < 103; i++) queue.addRateLimited(`k${i}`);
    await clock.run("idle");
    expect(seen.slice(99)).toEqual(["k99@5", "k100@100", "k101@200", "k102@300"]);
  });
});
