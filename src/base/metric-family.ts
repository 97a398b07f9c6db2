// One metric with its series. Counting adds to a number; all other work is done on reading.
import { assert } from "./assert.ts";
import { headerText, histogramText, labelText, type MetricType, sampleText } from "./metric-text.ts";
import type { CounterSeries, GaugeSeries, HistogramSeries } from "./metrics.ts";

export type Collect = () => Iterable<{ labelValues: readonly string[]; value: number }>;

export class NumberSeries implements CounterSeries, GaugeSeries {
  value = 0;
  inc(amount = 1): void {
    this.value += amount;
  }
  add(amount: number): void {
    this.value += amount;
  }
  set(value: number): void {
    this.value = value;
  }
}

export class BucketSeries implements HistogramSeries {
  readonly counts: Float64Array;
  readonly #bounds: readonly number[];
  sum = 0;
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }
  observe(value: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && !(value <= (bounds[i] as number))) i++;
    this.counts[i] = (this.counts[i] as number) + 1;
    this.sum += value;
  }
}

export interface FamilyShape {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly buckets?: readonly number[];
}

export class Family<S extends NumberSeries | BucketSeries> {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: readonly string[];
  readonly bounds: readonly number[];
  readonly collects: Collect[] = [];
  readonly #makeSeries: () => S;
  readonly #constrain: (values: readonly string[]) => readonly string[];
  readonly #series = new Map<string, { labelValues: readonly string[]; series: S }>();

  constructor(shape: FamilyShape, makeSeries: () => S, constrain: (values: readonly string[]) => readonly string[]) {
    this.name = shape.name;
    this.type = shape.type;
    this.help = shape.help;
    this.labels = shape.labels ?? [];
    this.bounds = shape.buckets ?? [];
    this.#makeSeries = makeSeries;
    this.#constrain = constrain;
    // A metric without labels has its single series from the start; a vector with an empty label list does not.
    if (shape.labels === undefined) this.with();
  }

  hasShape(other: FamilyShape): boolean {
    return (
      this.type === other.type &&
      this.help === other.help &&
      this.labels.join() === (other.labels ?? []).join() &&
      this.bounds.join() === (other.buckets ?? []).join()
    );
  }

  with(given: readonly string[] = []): S {
    assert(
      given.length === this.labels.length,
      `${this.name} takes ${this.labels.length} label values, got ${given.length}`,
    );
    const labelValues = this.#constrain(given);
    const key = keyOf(labelValues);
    let entry = this.#series.get(key);
    if (entry === undefined) {
      entry = { labelValues: labelValues.slice(), series: this.#makeSeries() };
      this.#series.set(key, entry);
    }
    return entry.series;
  }

  remove(labelValues: readonly string[]): void {
    this.#series.delete(keyOf(labelValues));
  }

  /** The value of one number series, for tests and health checks; undefined when there is none. */
  value(labelValues: readonly string[]): number | undefined {
    this.#collect();
    const series = this.#series.get(keyOf(labelValues))?.series;
    return series instanceof NumberSeries ? series.value : undefined;
  }

  render(): string {
    this.#collect();
    if (this.#series.size === 0) return "";
    const order = this.labels
      .map((_, i) => i)
      .sort((a, b) => ((this.labels[a] as string) < (this.labels[b] as string) ? -1 : 1));
    const entries = [...this.#series.values()].sort((a, b) => compare(a.labelValues, b.labelValues, order));
    const lines = entries.map(({ labelValues, series }) => {
      const labels = labelText(this.labels, labelValues);
      return series instanceof BucketSeries
        ? histogramText(this.name, labels, this.bounds, series)
        : sampleText(this.name, labels, series.value);
    });
    return headerText(this.name, this.type, this.help) + lines.join("");
  }

  /** Computed series replace those of the last reading. */
  #collect(): void {
    if (this.collects.length === 0) return;
    this.#series.clear();
    for (const collect of this.collects) {
      for (const { labelValues, value } of collect()) {
        const series = this.with(labelValues);
        if (series instanceof NumberSeries) series.value = value;
      }
    }
  }
}

function keyOf(labelValues: readonly string[]): string {
  return labelValues.length === 1 ? (labelValues[0] as string) : labelValues.join("\u0000");
}

function compare(a: readonly string[], b: readonly string[], order: readonly number[]): number {
  for (const i of order) {
    if (a[i] !== b[i]) return (a[i] as string) < (b[i] as string) ? -1 : 1;
  }
  return 0;
}
