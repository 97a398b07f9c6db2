import { describe, expect, it } from "vitest";
import {
  type Backoff,
  BackoffSequence,
  defaultBackoff,
  defaultRetry,
  delaysWithReset,
  exponentialBackoff,
  jitterMs,
  retryOnError,
} from "./go-backoff.ts";
import { ItemBackoff } from "./item-backoff.ts";
import { seededRng } from "./seeded-rng.ts";
import { neverAborted, testClock } from "./testing.ts";

const never = neverAborted();
const steps = (backoff: Backoff, count: number): number[] => {
  const sequence = new BackoffSequence(backoff, seededRng("backoff"));
  return Array.from({ length: count }, () => sequence.nextMs());
};

describe("BackoffSequence", () => {
  it.each<[string, Backoff, number[]]>([
    ["nothing but a duration", { durationMs: 5 }, [5, 5, 5]],
    ["a factor without steps", { durationMs: 5, factor: 3 }, [5, 5, 5]],
    ["steps used up: the last duration", { durationMs: 1, factor: 2, steps: 3 }, [1, 2, 4, 8, 8, 8]],
    ["a cap ends the growth", { durationMs: 1, factor: 10, steps: 9, capMs: 50 }, [1, 10, 50, 50]],
    ["steps without a factor", { durationMs: 7, steps: 2 }, [7, 7, 7]],
  ])("machinery/5.9.2 %s", (_, backoff, expected) => expect(steps(backoff, expected.length)).toEqual(expected));

  it("machinery/5.9.2 jitter adds up to its factor and does not accumulate", () => {
    const drawn = steps({ durationMs: 100, factor: 2, steps: 3, jitter: 0.5 }, 20);
    [100, 200, 400].forEach((base, i) => {
      expect(drawn[i]).toBeGreaterThanOrEqual(base);
      expect(drawn[i]).toBeLessThan(base * 1.5);
    });
    for (const delay of drawn.slice(3)) expect(delay >= 800 && delay < 1200).toBe(true);
    expect(new Set(drawn).size).toBe(20);
  });

  it("machinery/5.9.2 Jitter takes a factor that is not positive for 1", () => {
    const rng = seededRng(1);
    const drawn = Array.from({ length: 1000 }, () => jitterMs(100, 0, rng));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...drawn)).toBeGreaterThan(190);
    expect(Math.max(...drawn)).toBeLessThan(200);
  });

  it("machinery/5.9.1 has client-go's two defaults", () => {
    expect(steps({ ...defaultRetry, jitter: 0 }, 5)).toEqual([10, 10, 10, 10, 10]);
    expect(steps({ ...defaultBackoff, jitter: 0 }, 4)).toEqual([10, 50, 250, 1250]);
    expect([defaultRetry.steps, defaultRetry.jitter, defaultBackoff.steps, defaultBackoff.jitter]).toEqual([
      5, 0.1, 4, 0.1,
    ]);
  });
});

describe("delaysWithReset", () => {
  const reflector: Backoff = { durationMs: 800, factor: 2, capMs: 30_000, steps: Math.ceil(30_000 / 800) };

  it("machinery/5.2.2 starts over when more than the reset time passed since the last start, not since the last use", async () => {
    const clock = testClock();
    const next = delaysWithReset(reflector, 120_000, { clock, rng: seededRng(1) });
    const delays: number[] = [];
    let elapsed = 0;
    while (elapsed <= 400_000) {
      const delay = next();
      delays.push(delay);
      elapsed += delay;
      await clock.advance(delay);
    }
    const once = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000];
    expect(delays.slice(0, 19)).toEqual([...once, ...once, 800]);
  });

  it("does not back off without a factor or a reset time", async () => {
    const deps = { clock: testClock(), rng: seededRng(1) };
    for (const next of [delaysWithReset({ durationMs: 3, steps: 5 }, 10, deps), delaysWithReset(reflector, 0, deps)]) {
      const first = next();
      expect([next(), next()]).toEqual([first, first]);
    }
  });
});

describe("retries", () => {
  it("machinery/5.9.1 tries as many times as there are steps and throws the last error", async () => {
    const clock = testClock(0);
    const deps = { clock, rng: seededRng(1) };
    const triedAt: number[] = [];
    const failing = retryOnError(
      { steps: 4, durationMs: 10, factor: 5 },
      () => true,
      async () => {
        triedAt.push(clock.now());
        throw new Error(`try ${triedAt.length}`);
      },
      deps,
      never,
    ).catch((error: unknown) => error);
    await clock.run("idle");
    expect(await failing).toMatchObject({ message: "try 4" });
    expect(triedAt).toEqual([0, 10, 60, 310]);
  });

  it("machinery/5.9.1 returns the first success and throws an error that is not retriable at once", async () => {
    const clock = testClock(0);
    const deps = { clock, rng: seededRng(1) };
    let tries = 0;
    const isRetriable = (error: unknown): boolean => (error as Error).message === "conflict";
    const run = (last: () => string): Promise<unknown> =>
      retryOnError(
        defaultRetry,
        isRetriable,
        async () => {
          if (++tries % 3 !== 0) throw new Error("conflict");
          return last();
        },
        deps,
        never,
      ).catch((error: unknown) => error);
    const good = run(() => "value");
    await clock.run("idle");
    expect([await good, tries]).toEqual(["value", 3]);
    const bad = run(() => {
      throw new Error("forbidden");
    });
    await clock.run("idle");
    expect(await bad).toMatchObject({ message: "forbidden" });
    expect(tries).toBe(6);
  });

  it("stops waiting when the signal aborts", async () => {
    const clock = testClock(0);
    const controller = new AbortController();
    const checking = exponentialBackoff(
      { steps: 9, durationMs: 1000 },
      () => false,
      { clock, rng: seededRng(1) },
      controller.signal,
    ).catch((error: unknown) => error);
    clock.after(1500, () => controller.abort("stop"));
    await clock.run("idle");
    expect([await checking, clock.now()]).toEqual(["stop", 1500]);
  });
});

describe("ItemBackoff", () => {
  it("doubles per key up to the maximum, starts over after twice that, and collects old keys", async () => {
    const clock = testClock();
    const backoff = new ItemBackoff({ clock, initialMs: 1000, maxMs: 5000 });
    const delays = Array.from({ length: 5 }, () => {
      backoff.next("a", clock.now());
      return backoff.get("a");
    });
    expect([delays, backoff.get("b")]).toEqual([[1000, 2000, 4000, 5000, 5000], 0]);
    const failedAt = clock.now();
    expect([backoff.isInBackoffSince("a", failedAt), backoff.isInBackoffSince("b", failedAt)]).toEqual([true, false]);
    await clock.advance(4999);
    expect([backoff.isInBackoffSince("a", failedAt), backoff.isInBackoffSinceUpdate("a", clock.now())]).toEqual([
      true,
      true,
    ]);
    await clock.advance(1);
    expect([backoff.isInBackoffSince("a", failedAt), backoff.isInBackoffSinceUpdate("a", clock.now())]).toEqual([
      false,
      false,
    ]);
    await clock.advance(5001);
    backoff.collectGarbage();
    expect(backoff.get("a")).toBe(0);
    backoff.next("a", clock.now());
    expect(backoff.get("a")).toBe(1000);
    await clock.advance(10_001);
    expect(backoff.isInBackoffSince("a", clock.now())).toBe(false);
    backoff.next("a", clock.now());
    expect(backoff.get("a")).toBe(1000);
    backoff.reset("a");
    expect(backoff.get("a")).toBe(0);
  });
});
