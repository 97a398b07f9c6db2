import { expect, it } from "vitest";
import { MetricRegistry } from "#base/metric-registry.ts";
import { processStartSeconds, registerProcessMetrics } from "./process-metrics.ts";

it("machinery/6.r42 reports the process's time, memory and files, and the delay of the event loop", () => {
  const registry = new MetricRegistry({ version: "1.36.4" });
  const startSeconds = processStartSeconds();
  registerProcessMetrics(registry, startSeconds);
  const value = (name: string): number => registry.value(name) ?? Number.NaN;
  expect(Date.now() / 1000 - startSeconds).toBeGreaterThan(0);
  expect(value("process_start_time_seconds")).toBe(startSeconds);
  expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(value("process_open_fds")).toBeGreaterThan(2);
  expect(value("process_max_fds")).toBeGreaterThanOrEqual(value("process_open_fds"));
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(value("process_virtual_memory_bytes")).toBeGreaterThan(value("process_resident_memory_bytes"));
  // The value depends on the machine, so only its presence is tested.
  expect(value("nodejs_eventloop_lag_mean_seconds")).toBeGreaterThanOrEqual(0);
});
