// A rule, compiled: parsed, checked against the types of its schema, ready to run.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go, compileRule

import { findField } from "../field-path.ts";
import type { JSONSchemaProps, ValidationRule } from "../json-schema.ts";
import { type Expr, printErrors } from "./ast.ts";
import { type Checked, checkCel } from "./checker.ts";
import { COST_PER_CALL_MAX } from "./cost.ts";
import { evaluate, type Outcome } from "./evaluator.ts";
import { parseCel } from "./parser.ts";
import { optionalType, type Type } from "./types.ts";
import type { Value } from "./values.ts";

export interface Program {
  readonly type: Type;
  readonly usesOldSelf: boolean;
  run(variable: (name: string) => Value | undefined): Outcome;
}

/** The program, or the text of its errors. */
export function compileCel(text: string, variables: ReadonlyMap<string, Type>): Program | string {
  const parsed = parseCel(text);
  if (parsed.expr === undefined) return printErrors(text, parsed.errors);
  const checked = checkCel(parsed.expr, variables);
  if (checked.errors.length > 0) return printErrors(text, checked.errors);
  return program(parsed.expr, checked);
}

function program(expr: Expr, { type, qualified, idents }: Checked): Program {
  return {
    type,
    usesOldSelf: idents.has("oldSelf"),
    run: (variable) => evaluate(expr, { variable, qualified, costMax: COST_PER_CALL_MAX }),
  };
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  /** Instead of a program. */
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
  /** Where the error stands, below the schema's own path. */
  readonly fieldPath: string;
}

/** `type` is that of the schema; undefined where rules cannot see it. */
export function compileRule(rule: ValidationRule, schema: JSONSchemaProps, type: Type): CompiledRule {
  const variables = new Map<string, Type>([
    ["self", type],
    ["oldSelf", rule.optionalOldSelf ? optionalType(type) : type],
  ]);
  const compiled = compileCel(rule.rule, variables);
  if (typeof compiled === "string") return { rule, error: `compilation failed: ${compiled}`, fieldPath: "" };
  if (compiled.type.kind !== "bool") return { rule, error: "cel expression must evaluate to a bool", fieldPath: "" };
  const found = rule.fieldPath ? findField(rule.fieldPath, schema, true) : "";
  const fieldPath = typeof found === "string" ? "" : found.text;
  const ready: CompiledRule = { rule, program: compiled, fieldPath };
  if (!rule.messageExpression) return ready;
  const message = compileCel(rule.messageExpression, variables);
  if (typeof message === "string") {
    return { ...ready, messageError: `messageExpression compilation failed: ${message}` };
  }
  if (message.type.kind !== "string") return { ...ready, messageError: "messageExpression must evaluate to a string" };
  return { ...ready, message };
}
