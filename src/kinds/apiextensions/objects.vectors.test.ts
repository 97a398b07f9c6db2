// Random schemas and objects: pruned, defaulted and validated as upstream does.

import { describe, expect, it } from "vitest";
import { errorText, type FieldError } from "#api/field-error.ts";
import type { KubeObject } from "#api/object.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import file from "#test/vectors/crd-objects.json" with { type: "json" };
import { Correlation } from "./correlation.ts";
import { applySchemaDefaults, pruneNulls } from "./defaulting.ts";
import { validateListTypes } from "./list-types.ts";
import { validateSchema } from "./openapi-validation.ts";
import { prune } from "./pruning.ts";
import { ruleValidator } from "./rule-validator.ts";

interface Case {
  readonly schema: JSONSchemaProps;
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly pruned: unknown;
  readonly unknown?: readonly string[];
  readonly defaulted: unknown;
  readonly errors?: readonly string[];
  readonly updateErrors?: readonly string[];
}

const cases = file as unknown as readonly Case[];

const texts = (errors: readonly FieldError[]): string[] => errors.map(errorText).sort();

function check(object: unknown, schema: JSONSchemaProps, old?: unknown): FieldError[] {
  const correlation = old === undefined ? undefined : new Correlation(object, old, schema);
  const errors = [...validateSchema(object, schema, undefined, correlation), ...validateListTypes(object, schema)];
  if (errors.length > 0) return errors;
  return [...(ruleValidator(schema, true)?.validate(object, old, correlation).errors ?? [])];
}

describe("custom resources against upstream", () => {
  it("machinery/7.2.r8 has at least 300 cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
  });

  it.each(cases.map((each, i) => [i, each] as const))("machinery/7.2.r8 object %i", (_, each) => {
    const { schema, object, old } = each;
    const unknown: string[] = [];
    const pruned = pruneNulls(prune(object, schema, true, unknown), schema);
    expect(pruned).toEqual(each.pruned);
    expect(unknown.sort()).toEqual(each.unknown ?? []);
    const defaulted = applySchemaDefaults(pruned, schema);
    expect(defaulted).toEqual(each.defaulted);
    expect(texts(check(defaulted, schema))).toEqual(each.errors ?? []);
    if (old !== undefined) expect(texts(check(defaulted, schema, old))).toEqual(each.updateErrors ?? []);
  });
});
