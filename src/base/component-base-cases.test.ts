// The cases by which component-base tests the visibility and format of metrics, and lines of the JSON log. Left out:
// summaries, weighted histograms, traces, log rotation and the linter for names.

import { describe, expect, it } from "vitest";
import type { Logger } from "./log.ts";
import { LogVerbosity } from "./log-verbosity.ts";
import { createLogger } from "./logger.ts";
import { MetricRegistry } from "./metric-registry.ts";
import type { MetricOptions, StabilityLevel } from "./metrics.ts";
import { testClock } from "./testing.ts";

const kinds = ["counter", "gauge", "histogram"] as const;
function register(registry: MetricRegistry, kind: (typeof kinds)[number], options: MetricOptions): void {
  const values = options.labels?.map((label) => `${label}_value`) ?? [];
  if (kind === "counter") for (let i = 0; i < 3; i++) registry.counter(options).inc(values);
  else if (kind === "gauge") registry.gauge(options).set(3, values);
  else registry.histogram({ ...options, buckets: [1, 10] }).observe(3, values);
}

describe("machinery/8.r10 metrics", () => {
  it.each<{ stability: StabilityLevel; deprecatedVersion?: string; help?: string }>([
    { stability: "ALPHA", help: "[ALPHA] some help" },
    { stability: "BETA", help: "[BETA] some help" },
    { stability: "STABLE", help: "[STABLE] some help" },
    { stability: "ALPHA", deprecatedVersion: "1.15.0" },
    { stability: "BETA", deprecatedVersion: "1.15.0", help: "[BETA] (Deprecated since 1.15.0) some help" },
    { stability: "STABLE", deprecatedVersion: "1.14.0", help: "[STABLE] (Deprecated since 1.14.0) some help" },
    { stability: "ALPHA", deprecatedVersion: "1.14.0" },
    { stability: "BETA", deprecatedVersion: "1.14.0" },
    { stability: "STABLE", deprecatedVersion: "1.12.0" },
  ])("machinery/6.n1 at 1.15: $stability, deprecated in $deprecatedVersion", ({ help, ...options }) => {
    for (const kind of kinds) {
      for (const labels of [[], ["label_a", "label_b"]]) {
        const registry = new MetricRegistry({ version: "v1.15.0-alpha-1.12345" });
        const name = "namespace_subsystem_metric_test_name";
        register(registry, kind, { name, help: "some help", ...options, ...(labels.length > 0 && { labels }) });
        const lines = registry
          .render()
          .split("\n")
          .filter((line) => line.includes(name));
        expect(lines[0]).toBe(help === undefined ? undefined : `# HELP ${name} ${help}`);
        const series = labels.map((label) => `${label}="${label}_value"`).join(",");
        const suffix = kind === "histogram" ? "_sum" : "";
        if (help !== undefined) expect(lines).toContain(`${name}${suffix}${series === "" ? "" : `{${series}}`} 3`);
      }
    }
  });

  it.each<[StabilityLevel, string, boolean]>([
    ["INTERNAL", "1.17.0", true],
    ["INTERNAL", "1.16.0", true],
    ["INTERNAL", "1.18.0", false],
    ["BETA", "1.17.0", false],
    ["BETA", "1.16.0", true],
    ["BETA", "1.18.0", false],
    ["STABLE", "1.17.0", false],
    ["STABLE", "1.14.0", true],
    ["STABLE", "1.15.0", false],
    ["STABLE", "1.18.0", false],
  ])("machinery/6.n1 at 1.17: %s, deprecated in %s, is hidden: %s", (stability, deprecatedVersion, isHidden) => {
    const options = { name: "x_total", help: "X.", stability, deprecatedVersion };
    const registry = new MetricRegistry({ version: "1.17.0" });
    registry.counter(options).inc();
    expect([registry.render().includes("x_total 1"), registry.value("hidden_metrics_total")]).toEqual([
      !isHidden,
      isHidden ? 1 : 0,
    ]);
    const showing = new MetricRegistry({ version: "1.17.0", showsHidden: true });
    showing.counter(options).inc();
    expect(showing.render()).toContain("x_total 1");
  });

  it.each([
    { given: ["allow_value1", "label_b_value"], becomes: ["allow_value1", "label_b_value"] },
    { given: ["not_allowed", "label_b_value"], becomes: ["unexpected", "label_b_value"] },
  ])("machinery/6.n1 label values $given become $becomes", ({ given, becomes }) => {
    const registry = new MetricRegistry({
      version: "1.36.4",
      allowedLabels: { "x_total,label_a": "allow_value1,allow_value2" },
    });
    registry.counter({ name: "x_total", help: "X.", stability: "ALPHA", labels: ["label_a", "label_b"] }).inc(given);
    expect(registry.value("x_total", becomes)).toBe(1);
  });
});

describe("machinery/8.r10 the JSON log", () => {
  const written = (write: (log: Logger) => void, verbosity = 2): { info: string; error: string } => {
    const lines = { info: "", error: "" };
    const log = createLogger({
      clock: testClock(0),
      format: "json",
      verbosity: new LogVerbosity(verbosity),
      pid: 1,
      caller: () => ({ file: "src/json/test.ts", line: 7 }),
      write: (line, severity) => {
        lines[severity === "error" ? "error" : "info"] += line;
      },
    });
    write(log);
    return lines;
  };
  const head = '{"ts":0,"caller":"json/test.ts:7"';
  it.each<{ what: string; write: (log: Logger) => void; info?: string; error?: string }>([
    { what: "a message", write: (log) => log.info("test 1"), info: `${head},"msg":"test 1","v":0}\n` },
    {
      what: "values",
      write: (log) => log.info("test", { ns: "default", podnum: 2 }),
      info: `${head},"msg":"test","v":0,"ns":"default","podnum":2}\n`,
    },
    {
      what: "a level",
      write: (log) => log.v(2).info("test", { count: 1 }),
      info: `${head},"msg":"test","v":2,"count":1}\n`,
    },
    { what: "too high a level", write: (log) => log.v(3).info("test", { count: 1 }) },
    {
      what: "names",
      write: (log) => log.named("hello").named("world").info("test"),
      info: '{"ts":0,"logger":"hello.world","caller":"json/test.ts:7","msg":"test","v":0}\n',
    },
    {
      what: "an object",
      write: (log) => log.info("some", { pod: { name: "pod-1", namespace: "kube-system" } }),
      info: `${head},"msg":"some","v":0,"pod":{"name":"pod-1","namespace":"kube-system"}}\n`,
    },
    {
      what: "an object without a namespace",
      write: (log) => log.info("some", { obj: { name: "kube-proxy" } }),
      info: `${head},"msg":"some","v":0,"obj":{"name":"kube-proxy"}}\n`,
    },
    {
      what: "several objects",
      write: (log) =>
        log.info("several", { pods: ["pod-1", "pod-2"].map((name) => ({ name, namespace: "kube-system" })) }),
      info: `${head},"msg":"several","v":0,"pods":[{"name":"pod-1","namespace":"kube-system"},{"name":"pod-2","namespace":"kube-system"}]}\n`,
    },
    {
      what: "an error without one",
      write: (log) => log.error(undefined, "test 1"),
      error: `${head},"msg":"test 1"}\n`,
    },
    {
      what: "an error",
      write: (log) => log.error(new Error("fail"), "test", { count: 1 }),
      error: `${head},"msg":"test","count":1,"err":"fail"}\n`,
    },
  ])("writes $what", ({ write, info = "", error = "" }) => {
    expect(written(write)).toEqual({ info, error });
  });

  it("lets levels through up to the configured one", () => {
    let count = 0;
    for (let own = 0; own < 11; own++) {
      for (let level = 0; level < 11; level++) {
        const { info } = written((log) => log.v(level).info("test"), own);
        expect(info !== "").toBe(level <= own);
        count += info === "" ? 0 : 1;
      }
    }
    expect(count).toBe(66);
  });
});
