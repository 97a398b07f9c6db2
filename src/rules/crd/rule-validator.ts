// Runs the CEL rules of a schema over an object.

import type * as field from "#api/field-error.ts";
import type { Correlation } from "./correlation.ts";
import type { JSONSchemaProps } from "./json-schema.ts";

export interface RuleOutcome {
  readonly errors: readonly field.FieldError[];
  /** What an unchanged part does wrong. */
  readonly warnings: readonly string[];
}

export interface RuleValidator {
  validate(value: unknown, old: unknown, correlation?: Correlation, path?: field.FieldPath): RuleOutcome;
}

/** Undefined: the schema has no rules. */
export function ruleValidator(_schema: JSONSchemaProps, _isResourceRoot: boolean): RuleValidator | undefined {
  return undefined;
}
