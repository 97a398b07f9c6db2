import * as fc from "fast-check";
import { expect, it } from "vitest";
import { jsonText } from "./json-text.ts";

const fields = fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.constant({})));
const entry = fc.record(
  {
    manager: fc.string(),
    operation: fc.constant("Update"),
    time: fc.option(fc.string(), { nil: undefined }),
    fieldsV1: fields,
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    name: fc.string(),
    labels: fc.dictionary(fc.string(), fc.string()),
    managedFields: fc.oneof(fc.array(entry), fc.jsonValue()),
    uid: fc.string(),
  },
  { requiredKeys: [] },
);
const object = fc.record(
  {
    kind: fc.string(),
    metadata: fc.oneof(metadata, fc.jsonValue()),
    spec: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
    items: fc.oneof(fc.jsonValue(), fc.array(fc.record({ metadata }))),
    object: fc.oneof(fc.jsonValue(), fc.record({ metadata })),
    rows: fc.array(fc.record({ cells: fc.jsonValue(), object: fc.oneof(fc.constant(null), fc.record({ metadata })) })),
  },
  { requiredKeys: [] },
);

it("returns the same as JSON.stringify", () => {
  fc.assert(
    fc.property(fc.oneof(object, fc.jsonValue()), (value) => {
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(jsonText(value)).toHaveLength(JSON.stringify(value).length);
    }),
    { numRuns: 300 },
  );
});

it("caches the text of frozen fields only", () => {
  const of = (fieldsV1: Record<string, unknown>) => ({ metadata: { managedFields: [{ fieldsV1 }] } });
  const frozen = Object.freeze({ 'k:{"name":"a"}': {} });
  expect(jsonText(of(frozen))).toBe(jsonText(of(frozen)));
  const open: Record<string, unknown> = { "f:a": {} };
  jsonText(of(open));
  open["f:b"] = {};
  expect(jsonText(of(open))).toBe(JSON.stringify(of(open)));
});

it("writes lists of values that are not JSON like JSON.stringify", () => {
  const value = { items: [undefined, { toJSON: () => "x" }, null, 1], metadata: { managedFields: [1] } };
  expect(jsonText(value)).toBe(JSON.stringify(value));
});
