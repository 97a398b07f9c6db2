import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { fixedIntervalLimiter } from "#workqueue/rate-limiters.ts";
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
  return { clock, context, queued, queue: new KeyQueue({ context, controller: "test", name: "", ...options }) };
}

describe("a queue of keys", () => {
  it("returns the causes of a key once, and reports them to the trace as they happen", () => {
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

  it("keeps sixteen causes of a key, and none without a trace", () => {
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
    const rateLimiter = {
      when: () => 700,
      forget: (id: unknown) => void forgotten.push(String(id)),
      numRequeues: () => 3,
    };
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

  it("treats keys with equal texts as one key, even if they are different objects", async () => {
    const { queued, context } = setup();
    interface Claim {
      readonly name: string;
      readonly uid: string;
    }
    const text = ({ name, uid }: Claim): string => `${name} (${uid})`;
    const queue = new KeyQueue<Claim>({ context, controller: "test", name: "", text });
    const claim = (): Claim => ({ name: "a", uid: "u1" });
    queue.add(claim(), resync);
    queue.add(claim(), resync);
    queue.add({ name: "a", uid: "u2" }, resync);
    queue.addAfter(claim(), 10, "later");
    expect(queue.takeCauses(claim())).toHaveLength(3);
    expect(queued.slice(0, 3)).toEqual(["test a (u1) resync", "test a (u1) resync", "test a (u2) resync"]);

    const signal = neverAborted();
    expect([await queue.take(signal), await queue.take(signal)]).toEqual([claim(), { name: "a", uid: "u2" }]);
    queue.retry(claim(), "no");
    expect(queue.retries(claim())).toBe(1);
    queue.forget(claim());
    expect(queue.retries(claim())).toBe(0);
    queue.add(claim(), resync); // while a worker holds the key
    let again: Claim | undefined;
    void queue.take(signal).then((key) => (again = key));
    await Promise.resolve();
    expect(again).toBeUndefined();
    queue.done(claim());
    await Promise.resolve();
    expect(again).toEqual(claim());
  });

  it("tells objects apart by identity when it is asked to, and calls them by their text", async () => {
    const { queued, context } = setup();
    const queue = new KeyQueue<{ readonly name: string }>({
      context,
      controller: "test",
      name: "",
      text: ({ name }) => name,
      equality: "identity",
    });
    const [one, other] = [{ name: "node" }, { name: "node" }];
    for (const node of [one, other, one]) queue.add(node, resync);
    expect(queued).toEqual(Array(3).fill("test node resync"));
    const signal = neverAborted();
    expect(await queue.take(signal)).toBe(one);
    expect(await queue.take(signal)).toBe(other);
    expect([queue.takeCauses(one).length, queue.takeCauses(other).length]).toEqual([2, 1]);
  });

  it("syncs a key once per interval, for any number of adds, with the limiter of a fixed interval", async () => {
    const { queue, clock } = setup({ rateLimiter: fixedIntervalLimiter(15_000) });
    const taken: number[] = [];
    const worker = (async () => {
      for (let i = 0; i < 3; i++) {
        const key = await queue.take(neverAborted());
        taken.push(clock.monotonicMs());
        queue.done(key ?? "");
        queue.addRateLimited("a", resync);
      }
    })();
    const startMs = clock.monotonicMs();
    queue.addRateLimited("a", resync);
    await clock.advance(5_000);
    queue.addRateLimited("a", resync);
    await clock.advance(60_000);
    await worker;
    expect(taken.map((ms) => ms - startMs)).toEqual([15_000, 30_000, 45_000]);
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
