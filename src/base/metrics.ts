// The metrics interface for instrumented code. The registry behind it (metric-registry.ts) handles stability levels,
// deprecation, hiding, label allow-lists and the text format.

export type StabilityLevel = "INTERNAL" | "ALPHA" | "BETA" | "STABLE";

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly stability: StabilityLevel;
  /**
   * If absent, the metric is shown from the start. With a list, even an empty one, a series is shown once it has
   * counted.
   */
  readonly labels?: readonly string[];
  /** The version since which the metric is deprecated, for example "1.35.0". */
  readonly deprecatedVersion?: string;
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds in ascending order, without +Inf. */
  readonly buckets: readonly number[];
}

/** One series of a metric. Hot paths keep it, so that counting is one addition. */
export interface CounterSeries {
  inc(amount?: number): void;
}

export interface GaugeSeries {
  set(value: number): void;
  add(amount: number): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

/** Label values are given in the order of MetricOptions.labels. */
export interface Counter {
  inc(labelValues?: readonly string[], amount?: number): void;
  /** The series with these values; it is shown from now on, starting with 0. */
  with(labelValues: readonly string[]): CounterSeries;
}

export interface Gauge {
  set(value: number, labelValues?: readonly string[]): void;
  add(amount: number, labelValues?: readonly string[]): void;
  with(labelValues: readonly string[]): GaugeSeries;
  /** Removes the series. */
  remove(labelValues: readonly string[]): void;
}

export interface Histogram {
  observe(value: number, labelValues?: readonly string[]): void;
  with(labelValues: readonly string[]): HistogramSeries;
}

/** Registers metrics. Registering the same name with the same shape again returns the first one. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /**
   * A gauge whose series are computed on reading. Several functions may feed one name; of equal series the last one
   * wins.
   */
  gaugeFunc(options: MetricOptions, collect: () => Iterable<{ labelValues: readonly string[]; value: number }>): void;
}

/** Upper bounds start, start·factor, start·factor², … as repeated products, which gives Go's rounding. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const buckets: number[] = [];
  for (let bound = start; buckets.length < count; bound *= factor) buckets.push(bound);
  return buckets;
}

const noSeries: CounterSeries & GaugeSeries & HistogramSeries = {
  inc: () => undefined,
  set: () => undefined,
  add: () => undefined,
  observe: () => undefined,
};
const noMetric: Counter & Gauge & Histogram = {
  inc: () => undefined,
  set: () => undefined,
  add: () => undefined,
  observe: () => undefined,
  with: () => noSeries,
  remove: () => undefined,
};

/** Counts nothing. Code with costly measurements may compare with it and skip them. */
export const noMetrics: Metrics = {
  counter: () => noMetric,
  gauge: () => noMetric,
  histogram: () => noMetric,
  gaugeFunc: () => undefined,
};
