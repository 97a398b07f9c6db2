import { describe, expect, it } from "vitest";
import { testClock } from "#base/testing.ts";
import {
  bucketLimiter,
  defaultControllerLimiter,
  defaultItemBasedLimiter,
  itemExponentialLimiter,
  itemFastSlowLimiter,
  maxOfLimiter,
  maxWaitLimiter,
  type RateLimiter,
} from "./rate-limiters.ts";

const delays = (limiter: RateLimiter, count: number, key = "a"): number[] =>
  Array.from({ length: count }, () => limiter.when(key));

describe("rate limiters", () => {
  it("machinery/5.6.7 exponential: doubles per key up to the maximum and never overflows", () => {
    const limiter = itemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    expect(delays(limiter, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(delays(limiter, 2, "b")).toEqual([1, 2]);
    expect([limiter.numRequeues("a"), limiter.numRequeues("b"), limiter.numRequeues("c")]).toEqual([5, 2, 0]);
    expect(delays(limiter, 2000).at(-1)).toBe(1000);
    limiter.forget("a");
    expect([limiter.numRequeues("a"), limiter.when("a")]).toEqual([0, 1]);
  });

  it("machinery/5.6.7 fast, then slow", () => {
    const limiter = itemFastSlowLimiter({ fastMs: 5, slowMs: 10_000, fastAttemptsMax: 3 });
    expect(delays(limiter, 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    limiter.forget("a");
    expect([limiter.when("a"), limiter.numRequeues("a")]).toEqual([5, 1]);
  });

  it("machinery/5.6.7 bucket: reserves on every call, whatever the key", async () => {
    const clock = testClock();
    const limiter = bucketLimiter(clock, { perSecond: 10, burst: 2 });
    expect([...delays(limiter, 2), ...delays(limiter, 2, "b")]).toEqual([0, 0, 100, 200]);
    await clock.advance(150);
    expect(limiter.when("c")).toBe(150);
    expect(limiter.numRequeues("a")).toBe(0);
    limiter.forget("a");
  });

  it("machinery/5.6.7 the longest of several, and a cap on all", () => {
    const limiter = maxOfLimiter(
      itemFastSlowLimiter({ fastMs: 5, slowMs: 3000, fastAttemptsMax: 3 }),
      itemExponentialLimiter({ baseMs: 1, maxMs: 1000 }),
    );
    expect(delays(limiter, 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(limiter.numRequeues("a")).toBe(5);
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
    const capped = maxWaitLimiter(limiter, 500);
    expect(delays(capped, 5)).toEqual([5, 5, 5, 500, 500]);
    capped.forget("a");
    expect(capped.numRequeues("a")).toBe(0);
  });

  it("machinery/5.6.7, core/2, workloads/S1 the defaults are those of client-go", () => {
    const limiter = defaultControllerLimiter(testClock());
    expect(delays(limiter, 3)).toEqual([5, 10, 20]);
    const spread = Array.from({ length: 110 }, (_, i) => limiter.when(`k${i}`));
    expect(spread.slice(95, 100)).toEqual([5, 5, 100, 200, 300].map((ms, i) => (i < 2 ? 5 : ms)));
    expect(delays(defaultControllerLimiter(testClock()), 30).at(-1)).toBe(1_000_000);
    expect(delays(defaultItemBasedLimiter(), 2)).toEqual([1, 2]);
  });
});
