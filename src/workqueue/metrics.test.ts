import { describe, expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { queueMetrics, retryCounter } from "./metrics.ts";
import { createRateLimitingQueue } from "./rate-limiting-queue.ts";

const never = neverAborted();
const samples = (metrics: MetricRegistry): string[] =>
  metrics
    .render()
    .split("\n")
    .filter((line) => line.startsWith("workqueue_") && !line.includes("_bucket"));

describe("queue metrics", () => {
  it("machinery/6.r1..r7, machinery/5.6.9, core/4 every series is there from the start, with upstream's names, help and buckets", () => {
    const metrics = new MetricRegistry({ version: "1.36.4" });
    createRateLimitingQueue<string>({ clock: testClock(), name: "q", metrics });
    const text = metrics.render();
    expect(samples(metrics)).toEqual([
      'workqueue_adds_total{name="q"} 0',
      'workqueue_depth{name="q"} 0',
      'workqueue_longest_running_processor_seconds{name="q"} 0',
      'workqueue_queue_duration_seconds_sum{name="q"} 0',
      'workqueue_queue_duration_seconds_count{name="q"} 0',
      'workqueue_retries_total{name="q"} 0',
      'workqueue_unfinished_work_seconds{name="q"} 0',
      'workqueue_work_duration_seconds_sum{name="q"} 0',
      'workqueue_work_duration_seconds_count{name="q"} 0',
    ]);
    for (const help of [
      "workqueue_adds_total [BETA] Total number of adds handled by workqueue",
      "workqueue_depth [BETA] Current depth of workqueue",
      "workqueue_queue_duration_seconds [BETA] How long in seconds an item stays in workqueue before being requested.",
      "workqueue_retries_total [BETA] Total number of retries handled by workqueue",
      "workqueue_work_duration_seconds [BETA] How long in seconds processing an item from workqueue takes.",
    ]) {
      expect(text).toContain(`# HELP ${help}\n`);
    }
    const bounds = [...text.matchAll(/workqueue_work_duration_seconds_bucket\{name="q",le="(.*)"\}/g)].map(
      ([, le]) => le,
    );
    expect(bounds).toEqual(
      "1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 +Inf".split(" "),
    );
  });

  it("machinery/5.6.9 follows a key through the queue", async () => {
    const clock = testClock(0);
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const queue = createRateLimitingQueue<string>({ clock, name: "q", metrics });
    const value = (name: string): number | undefined => metrics.value(`workqueue_${name}`, ["q"]);
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect([value("depth"), value("adds_total")]).toEqual([2, 2]);
    await clock.advance(500);
    await queue.get(never);
    await clock.advance(1500);
    await queue.get(never);
    await clock.advance(1000);
    expect([value("depth"), value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([
      0, 3.5, 2.5,
    ]);
    queue.add("a");
    expect(value("depth")).toBe(1);
    queue.done("a");
    queue.done("b");
    expect([value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([0, 0]);
    expect(samples(metrics)).toContain('workqueue_queue_duration_seconds_sum{name="q"} 2.5');
    expect(samples(metrics)).toContain('workqueue_work_duration_seconds_sum{name="q"} 3.5');
    expect(samples(metrics)).toContain('workqueue_work_duration_seconds_count{name="q"} 2');
  });

  it("machinery/5.6.8 counts every delayed add as a retry, rate limited or not", () => {
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const queue = createRateLimitingQueue<string>({ clock: testClock(), name: "q", metrics });
    queue.addAfter("a", 0);
    queue.addAfter("a", 10);
    queue.addRateLimited("a");
    queue.add("b");
    expect(metrics.value("workqueue_retries_total", ["q"])).toBe(3);
    queue.shutDown();
    queue.addAfter("a", 10);
    expect(metrics.value("workqueue_retries_total", ["q"])).toBe(3);
  });

  it("machinery/5.6.9 a queue without a name, or with nobody to count, has no metrics", () => {
    const clock = testClock();
    const metrics = new MetricRegistry({ version: "1.36.4" });
    createRateLimitingQueue<string>({ clock, metrics });
    expect(samples(metrics)).toEqual([]);
    for (const options of [
      { clock, metrics },
      { clock, name: "q" },
      { clock, name: "q", metrics: noMetrics },
    ]) {
      expect([queueMetrics(options), retryCounter(options)]).toEqual([undefined, undefined]);
    }
  });

  it("two queues of one name share their counters", () => {
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const clock = testClock();
    const queues = [1, 2].map(() => createRateLimitingQueue<string>({ clock, name: "q", metrics }));
    for (const queue of queues) queue.add("a");
    expect(metrics.value("workqueue_adds_total", ["q"])).toBe(2);
    expect(samples(metrics).filter((line) => line.includes("unfinished"))).toEqual([
      'workqueue_unfinished_work_seconds{name="q"} 0',
    ]);
  });
});
