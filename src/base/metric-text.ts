// The Prometheus text format 0.0.4, as client_golang writes it.
// Upstream: github.com/prometheus/common/expfmt/text_create.go

export type MetricType = "counter" | "gauge" | "histogram";

/** A number as Go's strconv prints it with format 'g' and the shortest precision. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  const [mantissa = "", exponentText = ""] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
}

/** name="value" pairs in the order of label names, without braces; "" when there are none. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  return names
    .map((name, i) => [name, values[i] as string] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
    .join(",");
}

export function headerText(name: string, type: MetricType, help: string): string {
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
}

export function sampleText(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${goFloat(value)}\n`;
}

/** Cumulative buckets up to +Inf, the sum and the count. */
export function histogramText(
  name: string,
  labels: string,
  bounds: readonly number[],
  data: { counts: ArrayLike<number>; sum: number },
): string {
  const prefix = labels === "" ? "" : `${labels},`;
  let text = "";
  let count = 0;
  for (let i = 0; i <= bounds.length; i++) {
    count += data.counts[i] as number;
    text += sampleText(`${name}_bucket`, `${prefix}le="${goFloat(bounds[i] ?? Number.POSITIVE_INFINITY)}"`, count);
  }
  return text + sampleText(`${name}_sum`, labels, data.sum) + sampleText(`${name}_count`, labels, count);
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
