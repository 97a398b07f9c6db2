import { describe, expect, it } from "vitest";
import { MetricRegistry, type MetricRegistryOptions } from "./metric-registry.ts";
import { goFloat } from "./metric-text.ts";
import { exponentialBuckets, noMetrics } from "./metrics.ts";

const registry = (options: Partial<MetricRegistryOptions> = {}): MetricRegistry =>
  new MetricRegistry({ version: "1.36.4", ...options });

/** The lines of one metric. */
const linesOf = (metrics: MetricRegistry, name: string): string[] =>
  metrics
    .render()
    .split("\n")
    .filter((line) => line.replace(/^# (HELP|TYPE) /, "").startsWith(name));

describe("goFloat", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [1, "1"],
    [-1.5, "-1.5"],
    [999_999, "999999"],
    [1_000_000, "1e+06"],
    [16_777_216, "1.6777216e+07"],
    [1_769_000_000.25, "1.76900000025e+09"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e-8, "1e-08"],
    [1e100, "1e+100"],
    [0.1 + 0.2, "0.30000000000000004"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ])("prints %d as Go does: %s", (value, text) => expect(goFloat(value)).toBe(text));
});

describe("MetricRegistry", () => {
  it("renders counters, gauges and histograms in the text format, in order", () => {
    const metrics = registry();
    const requests = metrics.counter({
      name: "b_requests_total",
      help: "Line\nwith \\",
      stability: "ALPHA",
      labels: ["verb", "code"],
    });
    requests.inc(["PUT", "409"]);
    requests.inc(["GET", "200"], 2);
    requests.with(["GET", "500"]);
    requests.inc(["GET", 'q"\\\n']);
    metrics.gauge({ name: "a_depth", help: "Depth.", stability: "STABLE" }).set(-2.5);
    const histogram = metrics.histogram({
      name: "c_seconds",
      help: "Time.",
      stability: "BETA",
      labels: ["name"],
      buckets: [0.1, 1],
    });
    for (const value of [0.1, 0.5, 7]) histogram.observe(value, ["x"]);
    metrics.counter({ name: "d_unseen_total", help: "No series yet.", stability: "ALPHA", labels: ["name"] });
    metrics.counter({ name: "e_unseen_total", help: "No series yet.", stability: "ALPHA", labels: [] });
    const own = /^# (HELP|TYPE) (registered|disabled|hidden|cardinality)|^(registered|disabled|hidden|cardinality)_/;
    const lines = metrics
      .render()
      .split("\n")
      .filter((line) => !own.test(line));
    expect(lines).toEqual([
      "# HELP a_depth [STABLE] Depth.",
      "# TYPE a_depth gauge",
      "a_depth -2.5",
      "# HELP b_requests_total [ALPHA] Line\\nwith \\\\",
      "# TYPE b_requests_total counter",
      'b_requests_total{code="200",verb="GET"} 2',
      'b_requests_total{code="409",verb="PUT"} 1',
      'b_requests_total{code="500",verb="GET"} 0',
      'b_requests_total{code="q\\"\\\\\\n",verb="GET"} 1',
      "# HELP c_seconds [BETA] Time.",
      "# TYPE c_seconds histogram",
      'c_seconds_bucket{name="x",le="0.1"} 1',
      'c_seconds_bucket{name="x",le="1"} 2',
      'c_seconds_bucket{name="x",le="+Inf"} 3',
      'c_seconds_sum{name="x"} 7.6',
      'c_seconds_count{name="x"} 3',
      "",
    ]);
  });

  it("machinery/6.r30..r32 prefixes help with the level, and counts itself", () => {
    const metrics = registry();
    metrics.counter({ name: "x_total", help: "X.", stability: "ALPHA" });
    expect(linesOf(metrics, "registered_metrics_total")).toEqual([
      "# HELP registered_metrics_total [BETA] The count of registered metrics broken by stability level and deprecation version.",
      "# TYPE registered_metrics_total counter",
      'registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 2',
      'registered_metrics_total{deprecated_version="",stability_level="BETA"} 3',
    ]);
    expect(linesOf(metrics, "disabled_metrics_total").at(-1)).toBe("disabled_metrics_total 0");
    expect(linesOf(metrics, "hidden_metrics_total").at(-1)).toBe("hidden_metrics_total 0");
    expect(linesOf(metrics, "cardinality").at(-1)).toBe("cardinality_enforcement_unexpected_categorizations_total 0");
  });

  it.each([
    ["ALPHA", "1.36.0", false, false],
    ["ALPHA", "1.35.0", false, false],
    ["ALPHA", "1.37.0", true, false],
    ["BETA", "1.36.0", true, true],
    ["BETA", "1.35.0", false, true],
    ["STABLE", "1.34.0", true, true],
    ["STABLE", "1.33.0", false, true],
    ["STABLE", "0.33.0", false, true],
  ] as const)(
    "machinery/6.n1 %s deprecated in %s: shown %s, marked %s",
    (stability, deprecatedVersion, isShown, isMarked) => {
      const options = { name: "old_total", help: "Old.", stability, deprecatedVersion };
      const metrics = registry();
      metrics.counter(options).inc();
      const help = isMarked ? `[${stability}] (Deprecated since ${deprecatedVersion}) Old.` : `[${stability}] Old.`;
      expect(linesOf(metrics, "old_total")).toEqual(
        isShown ? [`# HELP old_total ${help}`, "# TYPE old_total counter", "old_total 1"] : [],
      );
      expect(metrics.value("hidden_metrics_total")).toBe(isShown ? 0 : 1);
      const showing = registry({ showsHidden: true });
      showing.counter(options).inc();
      expect(linesOf(showing, "old_total").at(-1)).toBe("old_total 1");
      const disabling = registry({ showsHidden: true, disabled: ["old_total", "", "other"] });
      disabling.counter(options).inc();
      expect(linesOf(disabling, "old_total")).toEqual([]);
      expect(disabling.value("disabled_metrics_total")).toBe(2);
    },
  );

  it("machinery/6.n1 turns label values outside their allow-list into unexpected", () => {
    const metrics = registry({ allowedLabels: { "r_total,verb": "GET,PUT", "h_seconds,name": "" } });
    const requests = metrics.counter({ name: "r_total", help: "R.", stability: "ALPHA", labels: ["verb", "code"] });
    for (const verb of ["GET", "PATCH", "DELETE"]) requests.inc([verb, "200"]);
    const histogram = metrics.histogram({
      name: "h_seconds",
      help: "H.",
      stability: "ALPHA",
      labels: ["name"],
      buckets: [],
    });
    histogram.observe(1, ["any"]);
    expect([metrics.value("r_total", ["GET", "200"]), metrics.value("r_total", ["unexpected", "200"])]).toEqual([1, 2]);
    expect(linesOf(metrics, "h_seconds_count")).toEqual(['h_seconds_count{name="unexpected"} 1']);
    expect(metrics.value("cardinality_enforcement_unexpected_categorizations_total")).toBe(3);
  });

  it("computes gauges when they are read; of equal series the last counts", () => {
    const metrics = registry();
    let depth = 1;
    const options = { name: "g", help: "G.", stability: "ALPHA", labels: ["name"] } as const;
    metrics.gaugeFunc(options, () => [{ labelValues: ["a"], value: depth }]);
    metrics.gaugeFunc(options, () =>
      depth > 5 ? [{ labelValues: ["b"], value: 0 }] : [{ labelValues: ["a"], value: -1 }],
    );
    expect(linesOf(metrics, "g").at(-1)).toBe('g{name="a"} -1');
    depth = 6;
    expect(linesOf(metrics, "g").slice(2)).toEqual(['g{name="a"} 6', 'g{name="b"} 0']);
    metrics.raw({ name: "process_x_total", help: "Raw.", type: "counter" }, () => [{ labelValues: [], value: 9 }]);
    expect(linesOf(metrics, "process_x_total")[0]).toBe("# HELP process_x_total Raw.");
  });

  it("returns the first metric for the same shape and refuses another", () => {
    const metrics = registry();
    const options = { name: "twice_total", help: "T.", stability: "ALPHA", labels: ["a"] } as const;
    metrics.counter(options).inc(["x"]);
    metrics.counter(options).inc(["x"]);
    expect(metrics.value("twice_total", ["x"])).toBe(2);
    expect(() => metrics.counter({ ...options, labels: ["b"] })).toThrow("registered twice with different shapes");
    expect(() => metrics.gauge(options)).toThrow("registered twice");
    expect(() => metrics.counter(options).inc([])).toThrow("takes 1 label values, got 0");
  });

  it("drops removed series, and keeps label values apart", () => {
    const metrics = registry();
    const gauge = metrics.gauge({ name: "s", help: "S.", stability: "ALPHA", labels: ["a", "b"] });
    gauge.set(1, ["x", "y"]);
    gauge.add(2, ["x,", "y"]);
    gauge.with(["__proto__", "constructor"]).set(3);
    gauge.remove(["x", "y"]);
    expect(linesOf(metrics, "s").slice(2)).toEqual(['s{a="__proto__",b="constructor"} 3', 's{a="x,",b="y"} 2']);
  });

  it("makes exponential buckets as Go does, and counts nothing where nothing is wanted", () => {
    expect(exponentialBuckets(10e-9, 10, 10).map(goFloat)).toEqual([
      ..."1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10".split(" "),
    ]);
    noMetrics.counter({ name: "n", help: "", stability: "ALPHA" }).with([]).inc();
    noMetrics.gaugeFunc({ name: "n", help: "", stability: "ALPHA" }, () => []);
  });
});
