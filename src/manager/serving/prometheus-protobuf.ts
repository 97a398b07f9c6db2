// Turns the text format into length-delimited io.prometheus.client.MetricFamily messages. The input is always our
// registry's text, so its shape is known: HELP, TYPE, then the samples of that family.
// Upstream: github.com/prometheus/client_model, metrics.proto.

const utf8 = new TextEncoder();
const types = { counter: 0, gauge: 1, histogram: 4 } as const;
type FamilyType = keyof typeof types;

interface Sample {
  readonly name: string;
  readonly labels: readonly (readonly [string, string])[];
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  type: FamilyType;
  readonly samples: Sample[];
}

export function prometheusProtobuf(text: string): Uint8Array {
  return concat(parseFamilies(text).map((family) => delimited(familyBytes(family))));
}

function parseFamilies(text: string): Family[] {
  const families: Family[] = [];
  for (const line of text.split("\n")) {
    const current = families.at(-1);
    const help = /^# HELP (\S+) (.*)$/.exec(line);
    if (help !== null)
      families.push({ name: help[1] ?? "", help: unescaped(help[2] ?? ""), type: "gauge", samples: [] });
    else if (line.startsWith("# TYPE ") && current !== undefined) current.type = line.split(" ")[3] as FamilyType;
    else if (line !== "" && current !== undefined) current.samples.push(parseSample(line));
  }
  return families;
}

function parseSample(line: string): Sample {
  const space = line.lastIndexOf(" ");
  const value = line.slice(space + 1);
  const brace = line.indexOf("{");
  const name = brace < 0 ? line.slice(0, space) : line.slice(0, brace);
  const labels: (readonly [string, string])[] = [];
  if (brace >= 0) {
    for (const [, label = "", text = ""] of line.slice(brace, space).matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)) {
      labels.push([label, unescaped(text)]);
    }
  }
  return { name, labels, value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}

function familyBytes({ name, help, type, samples }: Family): Uint8Array {
  const metrics = type === "histogram" ? histograms(name, samples) : samples.map((sample) => number(sample, type));
  return concat([
    bytesField(1, utf8.encode(name)),
    bytesField(2, utf8.encode(help)),
    varintField(3, types[type]),
    ...metrics.map((metric) => bytesField(4, metric)),
  ]);
}

function number({ labels, value }: Sample, type: FamilyType): Uint8Array {
  return concat([...labelFields(labels), bytesField(type === "counter" ? 3 : 2, doubleField(1, value))]);
}

/** The buckets of one series are adjacent and end with its sum and count. */
function histograms(name: string, samples: readonly Sample[]): Uint8Array[] {
  const metrics: Uint8Array[] = [];
  let buckets: Uint8Array[] = [];
  let sum = 0;
  for (const { name: part, labels, value } of samples) {
    if (part === `${name}_bucket`) {
      const bound = labels.find(([label]) => label === "le")?.[1] ?? "";
      // Go omits the last bucket, because it equals the count.
      if (bound !== "+Inf") buckets.push(bytesField(3, concat([varintField(1, value), doubleField(2, Number(bound))])));
    } else if (part === `${name}_sum`) sum = value;
    else {
      const histogram = concat([varintField(1, value), doubleField(2, sum), ...buckets]);
      metrics.push(concat([...labelFields(labels), bytesField(7, histogram)]));
      buckets = [];
    }
  }
  return metrics;
}

function labelFields(labels: readonly (readonly [string, string])[]): Uint8Array[] {
  return labels.map(([name, value]) =>
    bytesField(1, concat([bytesField(1, utf8.encode(name)), bytesField(2, utf8.encode(value))])),
  );
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

function varintField(field: number, value: number): Uint8Array {
  return Uint8Array.from([field << 3, ...varint(value)]);
}

function doubleField(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = (field << 3) | 1;
  new DataView(bytes.buffer).setFloat64(1, value, true);
  return bytes;
}

function bytesField(field: number, content: Uint8Array): Uint8Array {
  return concat([Uint8Array.from([(field << 3) | 2, ...varint(content.length)]), content]);
}

function delimited(message: Uint8Array): Uint8Array {
  return concat([Uint8Array.from(varint(message.length)), message]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
