// The CEL rules of a definition: whether they compile, and whether defaults fulfil them.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/{validation,cel_validation}.go

import * as field from "#api/field-error.ts";
import { compileRule } from "./cel/compile.ts";
import { celType, escapeName } from "./cel/schema-types.ts";
import type { Type } from "./cel/types.ts";
import { printedRule } from "./crd-internal.ts";
import type { CompileRules, SchemaNode } from "./crd-schema-validation.ts";
import type { CheckRules } from "./default-validation.ts";
import { isEmbedded, itemsOf, valuesOf } from "./json-schema.ts";
import { ruleValidator } from "./rule-validator.ts";

export const compileRules: CompileRules = (node, path, uncorrelatable) => {
  const at = path.child("x-kubernetes-validations");
  const type = typeOf(node);
  if (type === undefined) {
    const why =
      "internal error: failed to construct type information for x-kubernetes-validations rules: " +
      "unable to convert structural schema to CEL declarations";
    return [field.internalError(at, why)];
  }
  const errors: field.FieldError[] = [];
  (node.schema["x-kubernetes-validations"] ?? []).forEach((rule, i) => {
    const compiled = compileRule(rule, node.schema, type);
    const { program, error, messageError } = compiled;
    if (error !== undefined) errors.push(field.invalid(at.index(i).child("rule"), printedRule(rule), error));
    if (messageError !== undefined) {
      errors.push(field.invalid(at.index(i).child("messageExpression"), printedRule(rule), messageError));
    }
    if (program?.usesOldSelf) {
      if (uncorrelatable !== undefined) {
        const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
        errors.push(field.invalid(at.index(i).child("rule"), rule.rule, why));
      }
    } else if (rule.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      errors.push(field.invalid(at.index(i).child("optionalOldSelf"), rule.optionalOldSelf, why));
    }
  });
  return errors;
};

/** The type of a node is found from the root, as at run time. */
function typeOf({ schema, parent }: SchemaNode): Type | undefined {
  if (parent === undefined) return celType(schema, true, "selfType");
  const outer = typeOf(parent);
  if (itemsOf(parent.schema) === schema) return outer?.params[0];
  if (valuesOf(parent.schema) === schema) return outer?.params[1];
  const name = Object.keys(parent.schema.properties ?? {}).find((key) => parent.schema.properties?.[key] === schema);
  const escaped = name === undefined ? undefined : escapeName(name);
  return (
    (escaped === undefined ? undefined : outer?.fields?.get(escaped)) ?? celType(schema, isEmbedded(schema), "selfType")
  );
}

export const checkDefaultRules: CheckRules = (schema, isResourceRoot, value, path) => {
  const rules = ruleValidator(schema, isResourceRoot);
  if (rules === undefined) return [];
  const { errors } = rules.validate(value, value, undefined, path);
  return errors.length > 0 ? [...errors] : [...rules.validate(value, undefined, undefined, path).errors];
};
