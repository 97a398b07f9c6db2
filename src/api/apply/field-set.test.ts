// Sets of fields: equal to upstream's, byte for byte, and their invariants.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#api/patch/json-value.ts";
import vectors from "#test/vectors/apply.json" with { type: "json" };
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  hasPath,
  intersection,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from "./field-set.ts";
import { decodeFieldSet } from "./fields-v1.ts";
import { anyElement, excludeFields, includeFields } from "./filters.ts";
import { comparePathKeys, pathText } from "./path-element.ts";

const { sets, decodes } = vectors as unknown as {
  sets: [...operands: JsonObject[], paths: string[]][];
  decodes: [JsonObject, JsonObject | null][];
};

describe("field sets agree with upstream", () => {
  it("in their operations and the order of their keys", () => {
    for (const [a, b, both, rest, deepRest, shared, paths] of sets as unknown as [
      ...[JsonObject, JsonObject, JsonObject, JsonObject, JsonObject, JsonObject],
      string[],
    ][]) {
      const [left, right] = [decodeFieldSet(a), decodeFieldSet(b)];
      const results = [left, right, union(left, right), difference(left, right)];
      results.push(recursiveDifference(left, right), intersection(left, right));
      expect(results.map((set) => JSON.stringify(set))).toEqual(
        [a, b, both, rest, deepRest, shared].map((set) => JSON.stringify(set)),
      );
      expect(pathsOf(left).map(pathText).join("\n")).toBe(paths.join("\n"));
    }
  });
  it("in what they make of a client's spelling", () => {
    for (const [written, meant] of decodes) {
      if (typeof written !== "object" || written === null || Array.isArray(written)) continue;
      if (meant === null) expect(() => decodeFieldSet(written), JSON.stringify(written)).toThrow();
      else expect(JSON.stringify(decodeFieldSet(written))).toBe(JSON.stringify(meant));
    }
  });
});

const pathKey = fc.constantFrom(
  "f:a",
  "f:b",
  "f:c",
  'k:{"name":"x"}',
  'v:"y"',
  "v:1",
  "v:9223372036854775807",
  "v:9223372036854775806",
  "i:0",
);
const set = fc
  .array(fc.array(pathKey, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((paths) => setOf(...paths));
const isOrdered = (tree: FieldSet): boolean => {
  const keys = Object.keys(tree);
  const sorted = keys.every((key, i) => i === 0 || comparePathKeys(keys[i - 1] as string, key) < 0);
  return sorted && keys.every((key) => isOrdered(tree[key] as FieldSet));
};

describe("field sets", () => {
  it("keep the keys of a client apart, also beyond 2^53", () => {
    const written = { "f:set": { "v:9223372036854775806": {}, "v:9223372036854775807": {} } };
    expect(decodeFieldSet({ ...written, "f:map": { 'k:{"key":9007199254740993}': { ".": {} } } })).toEqual({
      "f:map": { 'k:{"key":9007199254740993}': {} },
      ...written,
    });
  });
  it("obey the laws of sets", () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        expect(equalSets(union(a, b), union(b, a))).toBe(true);
        expect(equalSets(union(a, union(b, c)), union(union(a, b), c))).toBe(true);
        expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
        expect(intersection(difference(a, b), b)).toBe(emptySet);
        expect(union(a, a)).toBe(a);
        expect(union(union(a, b), a)).toEqual(union(a, b));
        expect(difference(a, emptySet)).toBe(a);
        expect(pathsOf(union(a, b)).every((path) => hasPath(a, path) || hasPath(b, path))).toBe(true);
        for (const result of [union(a, b), difference(a, b), intersection(a, b), recursiveDifference(a, b)]) {
          expect(isOrdered(result)).toBe(true);
          expect(decodeFieldSet(JSON.parse(JSON.stringify(result)))).toEqual(result);
        }
      }),
    );
  });
  it("share what an operation leaves alone", () => {
    const a = setOf(["f:spec", "f:a"], ["f:spec", "f:b"], ["f:status", "f:c"]);
    expect(union(a, setOf(["f:spec", "f:a"]))).toBe(a);
    expect(difference(a, setOf(["f:spec", "f:z"]))).toBe(a);
    expect(difference(a, setOf(["f:spec", "f:a"]))["f:status"]).toBe(a["f:status"] as FieldSet);
  });
  it("can be filtered", () => {
    const all = setOf(
      ["f:metadata", "f:labels", "f:x"],
      ["f:spec", "f:containers", 'k:{"name":"a"}'],
      ["f:spec", "f:containers", 'k:{"name":"a"}', "f:image"],
      ["f:spec", "f:containers", 'k:{"name":"a"}', "f:resources", "f:limits"],
      ["f:status", "f:phase"],
    );
    expect(pathsOf(excludeFields(["status"], ["spec", "containers"])(all)).map(pathText)).toEqual([
      ".metadata.labels.x",
    ]);
    const resources = includeFields(["spec", "containers", anyElement, "resources"], ["status"]);
    expect(pathsOf(resources(all)).map(pathText)).toEqual([
      '.spec.containers[name="a"]',
      '.spec.containers[name="a"].resources.limits',
      ".status.phase",
    ]);
  });
});
