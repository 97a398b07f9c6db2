// Invalid definitions are refused with upstream's errors.

import { describe, expect, it } from "vitest";
import { errorText } from "#api/field-error.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import { validateDefinition } from "#kinds/apiextensions/crd-validation.ts";
import { checkDefaultRules, compileRules } from "#kinds/apiextensions/definition-rules.ts";
import { readMetadata } from "#kinds/apiextensions/metadata-reader.ts";
import file from "#test/vectors/crd-definitions.json" with { type: "json" };

interface Case {
  readonly definition: CustomResourceDefinition;
  readonly errors: readonly string[];
}

const cases = file as unknown as readonly Case[];
const checks = { read: readMetadata, checkRules: checkDefaultRules, compileRules };

/** Upstream's type name of self contains a timestamp. */
const plain = (text: string): string => text.replace(/selfType\d*/g, "selfType");

describe("definitions against upstream", () => {
  it("machinery/7.2.r8 has at least 100 cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(100);
  });

  it.each(cases.map((each, i) => [i, each] as const))("machinery/7.2.r8 definition %i", (_, { definition, errors }) => {
    const found = validateDefinition(definition, checks).map((error) => plain(errorText(error)));
    expect(found.sort()).toEqual(errors.map(plain).sort());
  });
});
