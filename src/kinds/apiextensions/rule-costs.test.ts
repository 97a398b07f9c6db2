// Definitions that are refused because their rules may cost too much, and exceptions. The numbers are upstream's.

import { describe, expect, it } from "vitest";
import { errorText } from "#api/field-error.ts";
import type { CustomResourceDefinition, JSONSchemaProps } from "#cel/json-schema.ts";
import { type DefinitionChecks, validateDefinition, validateDefinitionUpdate } from "./crd-validation.ts";
import { checkDefaultRules, compileRules } from "./definition-rules.ts";
import { goFixed } from "./rule-costs.ts";

const checks: DefinitionChecks = {
  read: () => {
    throw new Error("these schemas describe no metadata");
  },
  checkRules: checkDefaultRules,
  compileRules,
};

function definition(...specs: readonly JSONSchemaProps[]): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com", resourceVersion: "1" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      conversion: { strategy: "None" },
      versions: specs.map((spec, i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    },
    status: { storedVersions: ["v1"], acceptedNames: { plural: "", kind: "" }, conditions: [] },
  };
}

/** A list of numbers with rules. */
const list = (maxItems: number, ...texts: readonly string[]): JSONSchemaProps => ({
  type: "array",
  maxItems,
  items: { type: "integer" },
  "x-kubernetes-validations": texts.map((rule) => ({ rule })),
});

const PAIRS = "self.all(x, self.all(y, x + y > 0))";
const TEN_OR_SO = Array.from({ length: 11 }, (_, i) => `${PAIRS}${" && self[0] > 0".repeat(i)}`);

const ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
const rule = (at: string, i = 0): string =>
  `spec.${at}.openAPIV3Schema.properties[spec].x-kubernetes-validations[${i}].rule`;
const tooDear = (at: string, factor: string): string =>
  `${rule(at)}: Forbidden: estimated rule cost exceeds budget by factor of ${factor} ${ADVICE}`;
const inAll = (at: string, factor: string, ...blamed: readonly number[]): string[] => [
  ...blamed.map(
    (i) =>
      `${rule(at, i)}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
  ),
  `spec.${at}.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 ` +
    `schema exceeds budget by factor of ${factor} ${ADVICE}`,
];

describe("the cost limit of rules", () => {
  const created = (...specs: readonly JSONSchemaProps[]): string[] =>
    validateDefinition(definition(...specs), checks).map(errorText);

  it.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    ["pairs of as many as may be", list(1194, PAIRS), []],
    ["pairs of one more", list(1195, PAIRS), [tooDear("validation", "1.000215x")]],
    ["pairs of twice as many", list(2390, PAIRS), [tooDear("validation", "4.0x")]],
    ["pairs of nothing", list(0, PAIRS), []],
    ["all together, the dearest named", list(1194, ...TEN_OR_SO), inAll("validation", "1.098398x", 10, 9, 8, 7)],
  ])("machinery/7.2.r8 counts %s", (_, spec, errors) => {
    expect(created(spec)).toEqual(errors);
  });

  it("machinery/7.2.r8 reports the version if versions differ", () => {
    expect(created(list(2, PAIRS), list(1195, PAIRS))).toEqual([tooDear("versions[1].schema", "1.000215x")]);
  });
});

describe("the cost of stored rules", () => {
  const updated = (specs: readonly JSONSchemaProps[], old: readonly JSONSchemaProps[]): string[] =>
    validateDefinitionUpdate(definition(...specs), definition(...old), checks).map(errorText);
  const dear = list(1195, PAIRS);

  it("machinery/7.2.r8 is not limited if the schema is unchanged", () => {
    expect(updated([dear], [dear])).toEqual([]);
    expect(updated([dear, list(2, PAIRS)], [dear])).toEqual([]);
    // A schema that all versions shared counts as the old schema of new versions too.
    expect(updated([list(2, PAIRS), dear], [dear])).toEqual([]);
  });

  it("machinery/7.2.r8 is limited again when the schema changes in any way", () => {
    expect(updated([{ ...dear, description: "new" }], [dear])).toEqual([tooDear("validation", "1.000215x")]);
    expect(updated([list(2, PAIRS), dear], [dear, list(2, PAIRS)])).toEqual([
      tooDear("versions[1].schema", "1.000215x"),
    ]);
  });

  it("machinery/7.2.r8 is always limited in total", () => {
    const all = list(1194, ...TEN_OR_SO);
    expect(updated([all], [all])).toEqual(inAll("validation", "1.098398x", 10, 9, 8, 7));
  });
});

it.each([
  [2.25, 1, "2.2"],
  [2.75, 1, "2.8"],
  [1.65, 1, "1.6"],
  [1.0078125, 6, "1.007812"],
  [1.0234375, 6, "1.023438"],
  [100, 1, "100.0"],
])("machinery/7.2.r8 prints %d as Go does", (value, digits, text) => {
  expect(goFixed(value, digits)).toBe(text);
});
