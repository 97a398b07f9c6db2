// The metrics seam: what instrumented code sees. The registry behind it (metric-registry.ts)
// knows stability levels, deprecation, hiding, label allow-lists and the text format.

export type StabilityLevel = "INTERNAL" | "ALPHA" | "BETA" | "STABLE";

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly stability: StabilityLevel;
  readonly labels?: readonly string[];
  /** The version since which the metric is deprecated, for example "1.35.0". */
  readonly deprecatedVersion?: string;
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds in ascending order, without +Inf. */
  readonly buckets: readonly number[];
}

/** Label values are given in the order of MetricOptions.labels. */
export interface Counter {
  inc(labelValues?: readonly string[], amount?: number): void;
}

export interface Gauge {
  set(value: number, labelValues?: readonly string[]): void;
  add(amount: number, labelValues?: readonly string[]): void;
  /** Drops the series. */
  remove(labelValues: readonly string[]): void;
}

export interface Histogram {
  observe(value: number, labelValues?: readonly string[]): void;
}

/** Registers metrics. Registering the same name with the same shape again returns the first one. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /** A gauge whose series are computed when they are read. */
  gaugeFunc(options: MetricOptions, collect: () => Iterable<{ labelValues: readonly string[]; value: number }>): void;
}
