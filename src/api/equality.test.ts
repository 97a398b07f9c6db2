// Semantic equality against upstream's verdicts on variants of one pod (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import { isDerivative, semanticEqual } from "#api/equality.ts";
import { schemaOf } from "#api/schema-table.ts";
import file from "#test/vectors/values-equality.json" with { type: "json" };

const { documents, rows } = file as unknown as { documents: [unknown][]; rows: [string, string][] };
const pods = documents.map(([pod]) => pod);
const schema = schemaOf({ group: "", version: "v1", kind: "Pod" });
const bits = (judge: (other: unknown) => boolean): string => pods.map((pod) => (judge(pod) ? 1 : 0)).join("");

describe("semantic equality", () => {
  it("workloads/S21 agrees with upstream on all pairs", () => {
    const ours = pods.map((pod) => bits((other) => semanticEqual(pod, other, schema)));
    expect(ours).toEqual(rows.map(([equal]) => equal));
  });
  it("agrees with upstream on which objects are derivatives", () => {
    const ours = pods.map((pod) => bits((other) => isDerivative(pod, other, schema)));
    expect(ours).toEqual(rows.map(([, derivative]) => derivative));
  });
  it("needs no schema where nothing is a quantity", () => {
    expect(semanticEqual({ a: [], b: undefined }, {})).toBe(true);
    expect(semanticEqual({ emptyDir: {} }, {})).toBe(false);
    expect(semanticEqual({ constructor: "x" }, {})).toBe(false);
    expect(semanticEqual({}, { toString: 1 })).toBe(false);
  });
});
