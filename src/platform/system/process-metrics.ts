// Metrics of this process: the process_* metrics of the Prometheus process collector and, instead of Go's runtime
// metrics, the delay of the event loop and the size of the heap.
// Upstream: github.com/prometheus/client_golang/prometheus, process_collector_linux.go.

import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { MetricRegistry } from "#base/metric-registry.ts";
import { processLimit } from "./process-limits.ts";

const TICKS_PER_SECOND = 100;
const NANOSECONDS = 1e9;
/** How often the event loop is sampled. Each sample wakes the process. */
const SAMPLE_MS = 500;

export function processStartSeconds(): number {
  const ticks = Number(statFields()[19]);
  const boot = Number(/^btime (\d+)/m.exec(text("/proc/stat"))?.[1]);
  const seconds = boot + ticks / TICKS_PER_SECOND;
  return Number.isFinite(seconds) ? seconds : performance.timeOrigin / 1000;
}

export function registerProcessMetrics(registry: MetricRegistry, startSeconds: number): void {
  const gauge = (name: string, help: string, read: () => number): void => add(registry, "gauge", name, help, read);
  const counter = (name: string, help: string, read: () => number): void => add(registry, "counter", name, help, read);
  counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge("process_open_fds", "Number of open file descriptors.", () => readdirSync("/proc/self/fd").length);
  gauge("process_max_fds", "Maximum number of open file descriptors.", () => processLimit("Max open files"));
  gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", () => Number(statFields()[20]));
  gauge("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", () =>
    processLimit("Max address space"),
  );
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.", () => process.memoryUsage.rss());
  gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", () => startSeconds);
  counter("process_network_receive_bytes_total", "Number of bytes received by the process over the network.", () =>
    netBytes("InOctets"),
  );
  counter("process_network_transmit_bytes_total", "Number of bytes sent by the process over the network.", () =>
    netBytes("OutOctets"),
  );
  registerRuntimeMetrics(registry);
}

/** Metric names of prom-client, which dashboards for JavaScript programs use. */
function registerRuntimeMetrics(registry: MetricRegistry): void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  // Bun measures how late a sample came, Node the whole interval between samples.
  const onTimeNs = process.versions.bun === undefined ? SAMPLE_MS * 1e6 : 0;
  const seconds = (read: () => number) => (): number => {
    const value = (read() - onTimeNs) / NANOSECONDS;
    return Number.isFinite(value) ? Math.max(0, value) : 0;
  };
  const gauge = (name: string, help: string, read: () => number): void => add(registry, "gauge", name, help, read);
  gauge(
    "nodejs_eventloop_lag_mean_seconds",
    "Mean delay of the event loop.",
    seconds(() => delay.mean),
  );
  gauge(
    "nodejs_eventloop_lag_max_seconds",
    "Longest delay of the event loop.",
    seconds(() => delay.max),
  );
  gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "99th percentile of the delay of the event loop.",
    seconds(() => delay.percentile(99)),
  );
  gauge("nodejs_heap_size_total_bytes", "Size of the heap.", () => process.memoryUsage().heapTotal);
  gauge("nodejs_heap_size_used_bytes", "Used part of the heap.", () => process.memoryUsage().heapUsed);
  gauge(
    "nodejs_external_memory_bytes",
    "Memory outside the heap that objects hold.",
    () => process.memoryUsage().external,
  );
}

/** A value that the system does not provide is left out. */
function add(
  registry: MetricRegistry,
  type: "counter" | "gauge",
  name: string,
  help: string,
  read: () => number,
): void {
  registry.raw({ name, help, type }, () => {
    try {
      const value = read();
      return Number.isNaN(value) ? [] : [{ labelValues: [], value }];
    } catch {
      return [];
    }
  });
}

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The fields of /proc/self/stat after the program's name, which may contain blanks. */
function statFields(): readonly string[] {
  const stat = text("/proc/self/stat");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function netBytes(column: string): number {
  const [names = "", values = ""] = text("/proc/self/net/netstat")
    .split("\n")
    .filter((line) => line.startsWith("IpExt:"));
  return Number(values.split(" ")[names.split(" ").indexOf(column)]);
}
