import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { processStartSeconds, registerProcessMetrics } from "./process-metrics.ts";

it("machinery/6.r42 tells the process's time, memory and files, and how late the event loop is", async () => {
  const registry = new MetricRegistry({ version: "1.36.4" });
  const startSeconds = processStartSeconds();
  registerProcessMetrics(registry, startSeconds);
  await sleep(1100); // two looks at the event loop
  const value = (name: string): number => registry.value(name) ?? Number.NaN;
  expect(Date.now() / 1000 - startSeconds).toBeGreaterThan(0);
  expect(Date.now() / 1000 - startSeconds).toBeLessThan(24 * 3600);
  expect(value("process_start_time_seconds")).toBe(startSeconds);
  expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(value("process_open_fds")).toBeGreaterThan(2);
  expect(value("process_max_fds")).toBeGreaterThanOrEqual(value("process_open_fds"));
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(value("process_virtual_memory_bytes")).toBeGreaterThan(value("process_resident_memory_bytes"));
  // An idle loop is not half a second late, which is how often it is looked at.
  expect(value("nodejs_eventloop_lag_mean_seconds")).toBeLessThan(0.4);
});
