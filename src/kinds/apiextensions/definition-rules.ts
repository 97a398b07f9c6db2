// The CEL rules of a definition: compiles them, estimates their cost, and checks defaults against them.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/{validation,cel_validation}.go

import * as field from "#api/field-error.ts";
import { compileRule } from "#cel/compile.ts";
import { isEmbedded, itemsOf, type JSONSchemaProps, valuesOf } from "#cel/json-schema.ts";
import { type Bounds, boundsOf, timesInRequest } from "#cel/schema-bounds.ts";
import { celType, escapeName } from "#cel/schema-types.ts";
import { times } from "#cel/sizes.ts";
import type { Type } from "#cel/types.ts";
import { printedRule } from "./crd-internal.ts";
import type { CompileRules, SchemaNode } from "./crd-schema-validation.ts";
import type { CheckRules } from "./default-validation.ts";
import { occurrencesOf } from "./rule-costs.ts";
import { ruleValidator } from "./rule-validator.ts";

export const compileRules: CompileRules = (node, path, uncorrelatable, costs) => {
  const at = path.child("x-kubernetes-validations");
  const info = typeInfoOf(node);
  if (info === undefined) {
    const why =
      "internal error: failed to construct type information for x-kubernetes-validations rules: " +
      "unable to convert structural schema to CEL declarations";
    return [field.internalError(at, why)];
  }
  const { type, bounds } = info;
  const occurrences = occurrencesOf(node) ?? timesInRequest(bounds.shortest);
  const errors: field.FieldError[] = [];
  (node.schema["x-kubernetes-validations"] ?? []).forEach((rule, i) => {
    const [atRule, atMessage] = [at.index(i).child("rule"), at.index(i).child("messageExpression")];
    const { program, error, message, messageError } = compileRule(rule, node.schema, type, bounds);
    errors.push(...costs.add("rule", atRule, times(program?.costMax ?? 0n, occurrences)));
    if (error !== undefined) errors.push(field.invalid(atRule, printedRule(rule), error));
    if (messageError !== undefined) errors.push(field.invalid(atMessage, printedRule(rule), messageError));
    if (message !== undefined) errors.push(...costs.add("messageExpression", atMessage, message.costMax));
    if (program?.usesOldSelf) {
      if (uncorrelatable !== undefined) {
        const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
        errors.push(field.invalid(atRule, rule.rule, why));
      }
    } else if (rule.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      errors.push(field.invalid(at.index(i).child("optionalOldSelf"), rule.optionalOldSelf, why));
    }
  });
  return errors;
};

interface TypeInfo {
  readonly type: Type;
  readonly bounds: Bounds;
}

const typeInfos = new WeakMap<SchemaNode, TypeInfo>();

/** Undefined: rules cannot see the node. Below a node with rules, the type is part of that node's. */
function typeInfoOf(node: SchemaNode): TypeInfo | undefined {
  const known = typeInfos.get(node);
  if (known !== undefined) return known;
  const { schema, parent } = node;
  const isRoot = parent === undefined || isEmbedded(schema);
  const info = (parent && isBelowRules(parent) ? partOf(parent, schema) : undefined) ?? ownInfo(schema, isRoot);
  if (info !== undefined) typeInfos.set(node, info);
  return info;
}

function isBelowRules({ schema, parent }: SchemaNode): boolean {
  return (schema["x-kubernetes-validations"]?.length ?? 0) > 0 || (parent !== undefined && isBelowRules(parent));
}

function ownInfo(schema: JSONSchemaProps, isRoot: boolean): TypeInfo | undefined {
  const type = celType(schema, isRoot, "selfType");
  const bounds = boundsOf(schema, isRoot);
  return type && bounds && { type, bounds };
}

function partOf(parent: SchemaNode, schema: JSONSchemaProps): TypeInfo | undefined {
  const outer = typeInfoOf(parent);
  if (outer === undefined) return undefined;
  const part = (type: Type | undefined, bounds: Bounds | undefined): TypeInfo | undefined =>
    type && bounds && { type, bounds };
  if (itemsOf(parent.schema) === schema) return part(outer.type.params[0], outer.bounds.values);
  if (valuesOf(parent.schema) === schema) return part(outer.type.params[1], outer.bounds.values);
  const name = Object.keys(parent.schema.properties ?? {}).find((key) => parent.schema.properties?.[key] === schema);
  const escaped = name === undefined ? undefined : escapeName(name);
  return escaped === undefined ? undefined : part(outer.type.fields?.get(escaped), outer.bounds.fields?.get(escaped));
}

/** Runs the rules as for a new and for an existing value. The higher cost counts. */
export const checkDefaultRules: CheckRules = (schema, isResourceRoot, value, path, budget) => {
  const rules = ruleValidator(schema, isResourceRoot);
  if (rules === undefined) return [];
  const { left } = budget;
  const kept = rules.validate(value, value, undefined, path, left);
  const made = kept.errors.length > 0 ? kept : rules.validate(value, undefined, undefined, path, left);
  budget.left = Math.min(kept.budget, made.budget);
  return [...made.errors];
};
