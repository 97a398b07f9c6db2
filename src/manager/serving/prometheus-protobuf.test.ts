import { describe, expect, it } from "vitest";
import { prometheusProtobuf } from "./prometheus-protobuf.ts";

const text = `# HELP hits [ALPHA] Hits,\\nin two lines.
# TYPE hits counter
hits{code="200",path="a \\"b\\" \\\\ {c}"} 300
# HELP wait [BETA] Seconds.
# TYPE wait histogram
wait_bucket{verb="get",le="0.5"} 1
wait_bucket{verb="get",le="+Inf"} 2
wait_sum{verb="get"} 1.5
wait_count{verb="get"} 2
`;

type Field = readonly [number, number | Uint8Array];

/** The fields of a message, one level deep. */
function fields(bytes: Uint8Array): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 0) found.push([tag >> 3, varint()]);
    else if ((tag & 7) === 1) {
      found.push([tag >> 3, new DataView(bytes.buffer, bytes.byteOffset + at).getFloat64(0, true)]);
      at += 8;
    } else {
      const length = varint();
      found.push([tag >> 3, bytes.slice(at, at + length)]);
      at += length;
    }
  }
  return found;
}
const inner = (all: readonly Field[], field: number): Field[] =>
  fields((all.find(([n]) => n === field)?.[1] as Uint8Array) ?? new Uint8Array());
const string = (all: readonly Field[], field: number): string =>
  new TextDecoder().decode(all.find(([n]) => n === field)?.[1] as Uint8Array);

describe("metrics as protobuf", () => {
  const bytes = prometheusProtobuf(text);
  const length = bytes[0] ?? 0; // both families are shorter than 128 bytes
  const counter = fields(bytes.slice(1, 1 + length));
  const histogram = fields(bytes.slice(2 + length));

  it("machinery/2.2.r4 has names, help, types, labels and values", () => {
    expect([string(counter, 1), string(counter, 2), counter[2]?.[1]]).toEqual([
      "hits",
      "[ALPHA] Hits,\nin two lines.",
      0,
    ]);
    const metric = inner(counter, 4);
    const labels = metric
      .filter(([n]) => n === 1)
      .map(([, label]) => [string(fields(label as Uint8Array), 1), string(fields(label as Uint8Array), 2)]);
    expect(labels).toEqual([
      ["code", "200"],
      ["path", 'a "b" \\ {c}'],
    ]);
    expect(inner(metric, 3)).toEqual([[1, 300]]);
  });

  it("machinery/2.2.r4 has the buckets of a histogram, but for the last, which is its count", () => {
    expect(histogram[2]?.[1]).toBe(4);
    const metric = inner(histogram, 4);
    const data = inner(metric, 7);
    expect(data.filter(([n]) => n < 3)).toEqual([
      [1, 2],
      [2, 1.5],
    ]);
    expect(data.filter(([n]) => n === 3).map(([, bucket]) => fields(bucket as Uint8Array))).toEqual([
      [
        [1, 1],
        [2, 0.5],
      ],
    ]);
    expect(string(inner(metric, 1), 1)).toBe("verb");
  });
});
