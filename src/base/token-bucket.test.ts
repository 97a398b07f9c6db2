import { describe, expect, it } from "vitest";
import { deadlineScope } from "./abort.ts";
import { neverAborted, testClock } from "./testing.ts";
import { RateLimitError, TokenBucket } from "./token-bucket.ts";

const never = neverAborted();

describe("TokenBucket", () => {
  it("machinery/5.9.4 starts full, refills continuously, never above the burst", async () => {
    const clock = testClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 3 });
    expect([1, 2, 3, 4].map(() => bucket.tryTake())).toEqual([true, true, true, false]);
    await clock.advance(50);
    expect([bucket.tokens, bucket.tryTake()]).toEqual([0.5, false]);
    await clock.advance(50);
    expect(bucket.tryTake()).toBe(true);
    await clock.advance(60_000);
    expect([bucket.tokens, bucket.tryTake(4), bucket.tryTake(3)]).toEqual([3, false, true]);
  });

  it("machinery/5.9.4 serves waiters in order at the rate", async () => {
    const clock = testClock(0);
    const bucket = new TokenBucket(clock, { perSecond: 20, burst: 2 });
    const served: string[] = [];
    const all = Promise.all(
      ["a", "b", "c", "d"].map(async (name) => {
        await bucket.wait(never);
        served.push(`${name}@${clock.now()}`);
      }),
    );
    await clock.run("idle");
    await all;
    expect(served).toEqual(["a@0", "b@0", "c@50", "d@100"]);
  });

  it("machinery/5.9.4 fails early when the deadline would come before the token", async () => {
    const clock = testClock(0);
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    using short = deadlineScope(clock, 500, never);
    using long = deadlineScope(clock, 1500, never);
    await bucket.wait(short.signal);
    await expect(bucket.wait(short.signal)).rejects.toThrow("rate: Wait(n=1) would exceed context deadline");
    await expect(bucket.wait(clock.deadline(10, long.signal))).rejects.toThrow(RateLimitError);
    const patient = bucket.wait(long.signal);
    await clock.advance(1000);
    await patient;
    await expect(bucket.wait(never, 2)).rejects.toThrow("rate: Wait(n=2) exceeds limiter's burst 1");
  });

  it("machinery/5.9.4 an aborted wait gives its token back to the next", async () => {
    const clock = testClock(0);
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    await bucket.wait(never);
    const controller = new AbortController();
    const aborted = bucket.wait(controller.signal).catch((error: unknown) => error);
    await clock.advance(100);
    controller.abort("stop");
    expect(await aborted).toBe("stop");
    expect(bucket.reserve().delayMs()).toBe(900);
    await expect(bucket.wait(controller.signal)).rejects.toBe("stop");
  });

  it("cancelling gives back only tokens that no later reservation depends on", () => {
    const clock = testClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 10 });
    expect(bucket.tryTake(10)).toBe(true);
    const early = bucket.reserve(5);
    const late = bucket.reserve(2);
    expect([early.delayMs(), late.delayMs()]).toEqual([500, 700]);
    early.cancel();
    expect(bucket.reserve().delayMs()).toBe(500);
    late.cancel();
    expect(bucket.reserve(20).isOk).toBe(false);
    expect(bucket.reserve(20).delayMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it("supports rates of zero and infinity, and changes of the rate", async () => {
    const clock = testClock();
    const endless = new TokenBucket(clock, { perSecond: Number.POSITIVE_INFINITY, burst: 0 });
    expect([endless.tryTake(1000), endless.reserve(5).delayMs()]).toEqual([true, 0]);
    await endless.wait(never, 7);
    const dry = new TokenBucket(clock, { perSecond: 0, burst: 1 });
    expect([dry.tryTake(), dry.tryTake()]).toEqual([true, false]);
    await clock.advance(1e9);
    expect(dry.tryTake()).toBe(false);
    dry.setLimits({ perSecond: 2, burst: 2 });
    await clock.advance(500);
    expect([dry.tryTake(), dry.tryTake()]).toEqual([true, false]);
  });
});
