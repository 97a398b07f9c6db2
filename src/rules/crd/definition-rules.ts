// The CEL rules of a definition: whether they compile, and whether defaults fulfil them.

import type { CompileRules } from "./crd-schema-validation.ts";
import type { CheckRules } from "./default-validation.ts";
import { ruleValidator } from "./rule-validator.ts";

export const compileRules: CompileRules = () => [];

export const checkDefaultRules: CheckRules = (schema, isResourceRoot, value, path) => {
  const rules = ruleValidator(schema, isResourceRoot);
  if (rules === undefined) return [];
  const { errors } = rules.validate(value, value, undefined, path);
  return errors.length > 0 ? [...errors] : [...rules.validate(value, undefined, undefined, path).errors];
};
