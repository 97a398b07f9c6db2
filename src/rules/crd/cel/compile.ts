// A rule, compiled: parsed, checked against the types of its schema, ready to run.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go, compileRule

import { findField } from "../field-path.ts";
import type { JSONSchemaProps, ValidationRule } from "../json-schema.ts";
import { compilePattern } from "../patterns.ts";
import { type Expr, printErrors, type SourceError } from "./ast.ts";
import { type Checked, checkCel } from "./checker.ts";
import { constantsOf } from "./constants.ts";
import { CONVERSIONS } from "./conversions.ts";
import { COST_PER_CALL_MAX } from "./cost.ts";
import { evaluate, type Outcome } from "./evaluator.ts";
import { parseCel } from "./parser.ts";
import { optionalType, type Type } from "./types.ts";
import { childrenOf } from "./validators.ts";
import { CelError, NO_OVERLOAD, typeName, type Value } from "./values.ts";

export interface Program {
  readonly type: Type;
  readonly usesOldSelf: boolean;
  run(variable: (name: string) => Value | undefined): Outcome;
}

/** Why there is no program: the text is wrong, or what is constant in it already fails. */
export interface CompileFailure {
  readonly phase: "compilation" | "program instantiation";
  readonly message: string;
}

export const isFailure = (compiled: Program | CompileFailure): compiled is CompileFailure => "phase" in compiled;

export function compileCel(text: string, variables: ReadonlyMap<string, Type>): Program | CompileFailure {
  const refuse = (errors: readonly SourceError[]): CompileFailure => ({
    phase: "compilation",
    message: printErrors(text, errors),
  });
  const parsed = parseCel(text);
  if (parsed.expr === undefined) return refuse(parsed.errors);
  const checked = checkCel(parsed.expr, variables);
  if (checked.errors.length > 0) return refuse(checked.errors);
  const message = constantFailure(parsed.expr);
  return message === undefined ? program(parsed.expr, checked) : { phase: "program instantiation", message };
}

/** Conversions of literals, and their patterns, are computed once, when the program is made. */
function constantFailure(expr: Expr): string | undefined {
  const [first] = expr.kind === "call" ? expr.args : [];
  if (expr.kind === "call" && first?.kind === "literal") {
    if ((expr.name === "find" || expr.name === "findAll") && typeof first.value === "string") {
      const compiled = compilePattern(first.value);
      if (typeof compiled === "string") return compiled;
    }
    const convert = expr.target === undefined && expr.args.length === 1 ? CONVERSIONS[expr.name] : undefined;
    try {
      convert?.(first.value);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return error.message === NO_OVERLOAD ? `${NO_OVERLOAD}: ${expr.name}(${typeName(first.value)})` : error.message;
    }
  }
  for (const below of childrenOf(expr)) {
    const failure = constantFailure(below);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function program(expr: Expr, { type, qualified, idents }: Checked): Program {
  const constants = constantsOf(expr, idents);
  return {
    type,
    usesOldSelf: idents.has("oldSelf"),
    run: (variable) => evaluate(expr, { variable, qualified, constants, costMax: COST_PER_CALL_MAX }),
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
  if (isFailure(compiled)) return { rule, error: `${compiled.phase} failed: ${compiled.message}`, fieldPath: "" };
  if (compiled.type.kind !== "bool") return { rule, error: "cel expression must evaluate to a bool", fieldPath: "" };
  const found = rule.fieldPath ? findField(rule.fieldPath, schema, true) : "";
  const fieldPath = typeof found === "string" ? "" : found.text;
  const ready: CompiledRule = { rule, program: compiled, fieldPath };
  if (!rule.messageExpression) return ready;
  const message = compileCel(rule.messageExpression, variables);
  if (isFailure(message)) {
    const phase = message.phase === "compilation" ? "compilation" : "instantiation";
    return { ...ready, messageError: `messageExpression ${phase} failed: ${message.message}` };
  }
  if (message.type.kind !== "string") return { ...ready, messageError: "messageExpression must evaluate to a string" };
  return { ...ready, message };
}
