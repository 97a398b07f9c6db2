import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { KeyQueue, type KeyQueueOptions } from "./key-queue.ts";
import type { Cause } from "./trace.ts";

const resync: Cause = { kind: "resync" };

function setup(options: Partial<KeyQueueOptions> = {}, isTraced = true) {
  const clock = testClock();
  const queued: string[] = [];
  const trace = {
    queued: (controller: string, key: string, { kind }: Cause) => void queued.push(`${controller} ${key} ${kind}`),
    started: () => undefined,
    finished: () => undefined,
  };
  const context = { clock, metrics: noMetrics, ...(isTraced && { trace }) };
  return { clock, queued, queue: new KeyQueue({ context, controller: "test", name: "", ...options }) };
}

describe("a queue of keys", () => {
  it("tells why a key was queued, once, and the trace as it happens", () => {
    const { queue, queued } = setup();
    queue.add("a", resync);
    queue.addAfter("a", 10, "later");
    queue.retry("a", "no");
    queue.retry("a", "no again");
    expect(queue.takeCauses("a")).toEqual([
      resync,
      { kind: "timer", afterMs: 10, reason: "later" },
      { kind: "retry", error: "no", attempt: 1 },
      { kind: "retry", error: "no again", attempt: 2 },
    ]);
    expect(queue.takeCauses("a")).toEqual([]);
    expect(queued).toEqual(["test a resync", "test a timer", "test a retry", "test a retry"]);
    expect(queue.retries("a")).toBe(2);
    queue.forget("a");
    expect(queue.retries("a")).toBe(0);
  });

  it("keeps sixteen causes of a key, and none when nobody traces", () => {
    const traced = setup().queue;
    const untraced = setup({}, false).queue;
    for (let i = 0; i < 100; i++) {
      traced.add("a", resync);
      untraced.add("a", resync);
    }
    expect([traced.takeCauses("a").length, untraced.takeCauses("a").length]).toEqual([16, 0]);
  });

  it("retries when its own limiter says so", async () => {
    const forgotten: string[] = [];
    const rateLimiter = { when: () => 700, forget: (key: string) => void forgotten.push(key), numRequeues: () => 3 };
    const { queue, clock } = setup({ rateLimiter });
    queue.retry("a", "no");
    let taken: string | undefined;
    void queue.take(neverAborted()).then((key) => {
      taken = key;
    });
    await clock.advance(699);
    expect(taken).toBeUndefined();
    await clock.advance(1);
    expect(taken).toBe("a");
    queue.forget("a");
    expect([forgotten, queue.retries("a")]).toEqual([["a"], 3]);
  });

  it("hands out what it has when it is shut down, then nothing", async () => {
    const { queue } = setup();
    queue.add("a", resync);
    queue.shutDown();
    queue.add("b", resync);
    expect(await queue.take(neverAborted())).toBe("a");
    queue.done("a");
    expect(await queue.take(neverAborted())).toBeUndefined();
  });

  it("counts under its name", () => {
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const clock = testClock();
    const queue = new KeyQueue({ context: { clock, metrics }, controller: "test", name: "things" });
    queue.add("a", resync);
    expect(metrics.value("workqueue_adds_total", ["things"])).toBe(1);
  });
});
