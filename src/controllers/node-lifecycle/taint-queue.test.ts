import { beforeEach, describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { TaintQueue, type Tried } from "./taint-queue.ts";

let clock: VirtualClock;
let queue: TaintQueue;
let tried: string[];

beforeEach(() => {
  clock = testClock();
  queue = new TaintQueue(clock, 0.1);
  tried = [];
});

const attempt =
  (result: Tried = {}) =>
  async (node: string): Promise<Tried> => {
    tried.push(node);
    return result;
  };

async function passTime(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    await clock.advance(1000);
    await queue.try(attempt());
  }
}

describe("the queue of nodes for tainting", () => {
  it("node-lifecycle/9, node-lifecycle/tests passes on the oldest first, at its rate", async () => {
    for (const node of ["a", "b", "c"]) queue.add(node);
    await queue.try(attempt());
    await queue.try(attempt());
    expect(tried).toEqual(["a"]);
    await passTime(10);
    expect(tried).toEqual(["a", "b"]);
    await passTime(10);
    expect(tried).toEqual(["a", "b", "c"]);
  });

  it("node-lifecycle/8 remembers a node that it passed on, until the node is removed", async () => {
    expect([queue.add("a"), queue.add("a")]).toEqual([true, false]);
    await queue.try(attempt());
    expect(queue.add("a")).toBe(false);
    expect([queue.remove("a"), queue.remove("a")]).toEqual([true, false]);
    expect(queue.add("a")).toBe(true);
    await passTime(10);
    expect(tried).toEqual(["a", "a"]);
  });

  it("node-lifecycle/9 passes on a failed node again, behind the others", async () => {
    for (const node of ["a", "b"]) queue.add(node);
    await queue.try(attempt({ retryAfterMs: 0 }));
    await passTime(20);
    expect(tried).toEqual(["a", "b", "a"]);
  });

  it("node-lifecycle/9 spends a token on an attempt before the node is due", async () => {
    queue = new TaintQueue(clock, 20);
    queue.add("a");
    await queue.try(attempt({ retryAfterMs: 500 }));
    await clock.advance(50);
    await queue.try(attempt());
    await clock.advance(449);
    await queue.try(attempt());
    expect(tried).toEqual(["a"]);
    await clock.advance(1);
    await queue.try(attempt());
    expect(tried).toEqual(["a"]);
    await clock.advance(50);
    await queue.try(attempt());
    expect(tried).toEqual(["a", "a"]);
  });

  it("node-lifecycle/13 begins with an empty bucket after one that was empty, and with a full one after a full one", async () => {
    for (const node of ["a", "b", "c"]) queue.add(node);
    await queue.try(attempt());
    queue.setRate(0.5);
    await queue.try(attempt());
    expect(tried).toEqual(["a"]);
    await passTime(2);
    expect(tried).toEqual(["a", "b"]);
    await clock.advance(2000);
    queue.setRate(0.1);
    await queue.try(attempt());
    expect(tried).toEqual(["a", "b", "c"]);
  });

  it("node-lifecycle/12 stops at a rate of 0, and then ignores a rate of 1, as upstream", async () => {
    queue.add("a");
    queue.setRate(0);
    await passTime(100);
    queue.setRate(1);
    await passTime(100);
    expect(tried).toEqual([]);
    queue.setRate(0.5);
    await passTime(2);
    expect(tried).toEqual(["a"]);
  });
});
