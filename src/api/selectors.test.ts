// Label and field selectors against upstream's answers (tools/go/vectors-values), and their laws.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeFieldValue, everyField, fieldEquals, parseFieldSelector } from "#api/field-selector.ts";
import {
  everything,
  formatLabelSelector,
  type Labels,
  nothing,
  type Requirement,
  Selector,
  selectorAsMap,
  selectorFromObject,
  selectorFromSet,
} from "#api/label-selector.ts";
import { parseLabelSelector, parseToLabelSelector } from "#api/label-selector-parser.ts";
import type { LabelSelector } from "#api/meta.ts";
import file from "#test/vectors/values-selectors.json" with { type: "json" };
import { differences, outcome } from "./vector-outcome.ts";

type Row = readonly unknown[];
const vectors = file as unknown as Readonly<Record<string, readonly Row[]>>;
const { sets = [], parse = [], objects = [], fields = [], toObject = [] } = vectors;
const labelSets = sets.map(([set]) => set as Labels);
const bits = (matches: (labels: Labels) => boolean): string => labelSets.map((set) => (matches(set) ? 1 : 0)).join("");
const afterFirst = ([, ...rest]: Row): unknown => ("error" in Object(rest[0]) ? rest[0] : rest);

describe("label selectors", () => {
  it("are read, printed and matched as upstream does", () => {
    expect(parse.length + objects.length).toBeGreaterThanOrEqual(500);
    const ours = ([text]: Row): unknown =>
      outcome(() => {
        const selector = parseLabelSelector(text as string);
        const matched = bits((labels) => selector.matches(labels));
        return [selector.toString(), matched, selector.requiredValue("a") ?? null];
      });
    expect(differences(parse, afterFirst, ours)).toEqual([]);
  });

  it("are made from objects as upstream does", () => {
    const ours = ([object]: Row): unknown =>
      outcome(() => {
        const selector = selectorFromObject(object as LabelSelector | null);
        return [selector.toString(), bits((labels) => selector.matches(labels))];
      });
    const expected = ([, text, matched]: Row): unknown => (typeof text === "string" ? [text, matched] : text);
    expect(differences(objects, expected, ours)).toEqual([]);
    const format = ([object]: Row): unknown => formatLabelSelector((object ?? undefined) as LabelSelector | undefined);
    expect(differences(objects, (row) => row[3], format)).toEqual([]);
    const asMap = ([object]: Row): unknown => outcome(() => selectorAsMap(object as LabelSelector));
    const expectedMap = ([, text, a, , b]: Row): unknown => (typeof text === "string" ? b : a);
    expect(differences(objects.slice(1), expectedMap, asMap)).toEqual([]);
  });

  it("are turned into objects as upstream does", () => {
    const plain = (selector: LabelSelector): unknown => {
      const { matchLabels = {}, matchExpressions = [] } = selector;
      const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values }));
      return { matchLabels, expressions };
    };
    const read = (value: unknown): unknown => ("error" in Object(value) ? value : plain(value as LabelSelector));
    const ours = ([text]: Row): unknown => read(outcome(() => parseToLabelSelector(text as string)));
    expect(differences(toObject, (row) => read(row[1]), ours)).toEqual([]);
  });

  it("support everything, nothing and exact sets", () => {
    expect(everything.matches(undefined)).toBe(true);
    expect(everything.isEmpty).toBe(true);
    expect(nothing.matches({})).toBe(false);
    expect(nothing.isEmpty).toBe(false);
    expect(nothing.add({ key: "a", operator: "exists", values: [] })).toBe(nothing);
    expect(selectorFromSet(undefined)).toBe(everything);
    expect(selectorFromSet({ b: "2", a: "1" }).toString()).toBe("a=1,b=2");
    expect(selectorFromSet({ a: "1" }).add({ key: "A", operator: "exists", values: [] }).toString()).toBe("A,a=1");
  });

  it("do not take what every object inherits for labels", () => {
    for (const key of ["constructor", "toString", "hasOwnProperty"]) {
      expect(parseLabelSelector(key).matches({})).toBe(false);
      expect(parseLabelSelector(`!${key}`).matches({})).toBe(true);
    }
  });
});

const word = fc.stringMatching(/^[a-z0-9]([a-z0-9_.-]{0,8}[a-z0-9])?$/);
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({ key: word, operator: fc.constantFrom("exists", "!"), values: fc.constant([]) }),
  fc.record({
    key: word,
    operator: fc.constantFrom("=", "==", "!="),
    values: fc.tuple(fc.oneof(word, fc.constant(""))),
  }),
  fc.record({
    key: word,
    operator: fc.constantFrom("in", "notin"),
    values: fc.uniqueArray(fc.oneof(word, fc.constant("")), { minLength: 1, maxLength: 4 }).map((list) => list.sort()),
  }),
);

describe("selector laws", () => {
  it("reading what was printed gives the same selector", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        const printed = new Selector([]).add(...requirements).toString();
        expect(parseLabelSelector(printed).toString()).toBe(printed);
      }),
    );
  });
  it("a selector matches when each of its requirements does", () => {
    const labels = fc.dictionary(word, word, { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), labels, (requirements, set) => {
        const all = new Selector(requirements).matches(set);
        expect(all).toBe(requirements.every((single) => new Selector([single]).matches(set)));
      }),
    );
  });
  it("escaped field values are read back", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const printed = fieldEquals("metadata.name", value).toString();
        expect(parseFieldSelector(printed).requiredValue("metadata.name")).toBe(value);
        expect(printed).toBe(`metadata.name=${escapeFieldValue(value)}`);
      }),
    );
  });
});

describe("field selectors", () => {
  it("are read, printed and matched as upstream does", () => {
    const ours = ([text]: Row): unknown =>
      outcome(() => {
        const selector = parseFieldSelector(text as string);
        const matched = bits((set) => selector.matches(set));
        return [selector.toString(), matched, selector.requiredValue("a") ?? null, selector.isEmpty];
      });
    expect(differences(fields, afterFirst, ours)).toEqual([]);
  });
  it("drop terms that a transform empties", () => {
    const renamed = parseFieldSelector("a=1,b=2").transform((field, value) =>
      field === "a" ? { field: "", value: "" } : { field: `spec.${field}`, value },
    );
    expect(renamed.toString()).toBe("spec.b=2");
    expect(everyField.matches({})).toBe(true);
  });
});
