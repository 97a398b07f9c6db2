// The metrics of one process. Counting adds to a number; the text is rendered on demand.
// Upstream: k8s.io/component-base/metrics (stability levels, hiding, disabling, label allow-lists)
import { assert } from "./assert.ts";
import { BucketSeries, type Collect, Family, type FamilyShape, NumberSeries } from "./metric-family.ts";
import { annotatedHelp, lifecycleOf } from "./metric-lifecycle.ts";
import {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type MetricOptions,
  type Metrics,
  noMetrics,
  type StabilityLevel,
} from "./metrics.ts";

export interface MetricRegistryOptions {
  /** The version of the program, such as "1.36.4". */
  readonly version: string;
  /** Show hidden metrics (--show-hidden-metrics-for-version). */
  readonly showsHidden?: boolean;
  /** Metrics that are never shown (--disabled-metrics); this wins over showsHidden. */
  readonly disabled?: readonly string[];
  /** Maps "metric,label" to the allowed values, separated by commas (--allow-metric-labels). */
  readonly allowedLabels?: Readonly<Record<string, string>>;
}

export class MetricRegistry implements Metrics {
  readonly #options: MetricRegistryOptions;
  readonly #families = new Map<string, Family<NumberSeries | BucketSeries>>();
  readonly #disabled: ReadonlySet<string>;
  readonly #allowed: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  #registered: Counter | undefined;
  #hidden: Counter | undefined;
  #unexpected: Counter | undefined;

  constructor(options: MetricRegistryOptions) {
    this.#options = options;
    this.#disabled = new Set(options.disabled?.filter((name) => name !== ""));
    this.#allowed = parseAllowed(options.allowedLabels ?? {});
    this.#registered = this.counter({
      name: "registered_metrics_total",
      help: "The count of registered metrics broken by stability level and deprecation version.",
      stability: "BETA",
      labels: ["stability_level", "deprecated_version"],
    });
    this.#registered.inc(["BETA", ""]);
    const own = (name: string, help: string, stability: StabilityLevel): Counter =>
      this.counter({ name, help, stability });
    own("disabled_metrics_total", "The count of disabled metrics.", "BETA").inc([], this.#disabled.size);
    this.#hidden = own("hidden_metrics_total", "The count of hidden metrics.", "BETA");
    this.#unexpected = own(
      "cardinality_enforcement_unexpected_categorizations_total",
      "The count of unexpected categorizations during cardinality enforcement.",
      "ALPHA",
    );
  }

  counter(options: MetricOptions): Counter {
    const family = this.#register("counter", options, () => new NumberSeries());
    if (family === undefined) return noMetrics.counter(options);
    return { inc: (values, amount) => family.with(values).inc(amount), with: (values) => family.with(values) };
  }

  gauge(options: MetricOptions): Gauge {
    const family = this.#register("gauge", options, () => new NumberSeries());
    if (family === undefined) return noMetrics.gauge(options);
    return {
      set: (value, values) => family.with(values).set(value),
      add: (amount, values) => family.with(values).add(amount),
      with: (values) => family.with(values),
      remove: (values) => family.remove(values),
    };
  }

  histogram(options: HistogramOptions): Histogram {
    const family = this.#register("histogram", options, () => new BucketSeries(options.buckets));
    if (family === undefined) return noMetrics.histogram(options);
    return { observe: (value, values) => family.with(values).observe(value), with: (values) => family.with(values) };
  }

  gaugeFunc(options: MetricOptions, collect: Collect): void {
    this.#register("gauge", options, () => new NumberSeries())?.collects.push(collect);
  }

  /** A metric of the runtime, such as process_*: without stability level, computed on reading. */
  raw(
    options: { name: string; help: string; labels?: readonly string[]; type: "counter" | "gauge" },
    collect: Collect,
  ): void {
    assert(!this.#families.has(options.name), `metric ${options.name} is registered twice`);
    const family = new Family(
      options,
      () => new NumberSeries(),
      (values) => values,
    );
    family.collects.push(collect);
    this.#families.set(options.name, family);
  }

  /** All metrics in the text format, families and series in order. */
  render(): string {
    return [...this.#families.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((family) => family.render())
      .join("");
  }

  /** The current value of a counter or gauge. */
  value(name: string, labelValues: readonly string[] = []): number | undefined {
    return this.#families.get(name)?.value(labelValues);
  }

  // Deviation: upstream's --disabled-metrics misses metrics registered before flags are read; here it affects all.
  #register<S extends NumberSeries | BucketSeries>(
    type: FamilyShape["type"],
    options: MetricOptions & { readonly buckets?: readonly number[] },
    makeSeries: () => S,
  ): Family<S> | undefined {
    const { isDeprecated, isPastGrace } = lifecycleOf(options, this.#options.version);
    const shape = { ...options, type, help: annotatedHelp(options, isDeprecated) };
    const known = this.#families.get(options.name);
    if (known !== undefined) {
      assert(known.hasShape(shape), `metric ${options.name} is registered twice with different shapes`);
      return known as Family<S>;
    }
    if (this.#disabled.has(options.name) || (isPastGrace && !this.#options.showsHidden)) {
      this.#hidden?.inc();
      return undefined;
    }
    const family = new Family(shape, makeSeries, this.#constraintOf(options));
    this.#families.set(options.name, family);
    this.#registered?.inc([options.stability, options.deprecatedVersion ?? ""]);
    return family;
  }

  /** Label values outside their allow-list become "unexpected". */
  #constraintOf({ name, labels = [] }: MetricOptions): (values: readonly string[]) => readonly string[] {
    const allowed = this.#allowed.get(name);
    if (allowed === undefined) return (values) => values;
    const sets = labels.map((label) => allowed.get(label));
    return (values) =>
      values.map((value, i) => {
        if (sets[i]?.has(value) !== false) return value;
        this.#unexpected?.inc();
        return "unexpected";
      });
  }
}

function parseAllowed(mapping: Readonly<Record<string, string>>): Map<string, Map<string, ReadonlySet<string>>> {
  const result = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of Object.entries(mapping)) {
    const [metric, label, ...rest] = key.split(",");
    assert(metric && label && rest.length === 0, `an allow-list key is "metric,label", not ${JSON.stringify(key)}`);
    const labels = result.get(metric) ?? new Map<string, ReadonlySet<string>>();
    result.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return result;
}
