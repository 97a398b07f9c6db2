// Compiles a rule: parses it and checks it against the types of its schema.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go, compileRule

import { type Expr, printErrors, type SourceError } from "./ast.ts";
import { type Checked, checkCel } from "./checker.ts";
import { constantsOf } from "./constants.ts";
import { COST_PER_CALL_MAX } from "./cost.ts";
import type { Extension } from "./declarations.ts";
import { estimateCost } from "./estimator.ts";
import { evaluate, type Outcome } from "./evaluator.ts";
import { findField } from "./field-path.ts";
import type { JSONSchemaProps, ValidationRule } from "./json-schema.ts";
import { parseCel } from "./parser.ts";
import { compilePattern } from "./patterns.ts";
import type { Bounds } from "./schema-bounds.ts";
import { optionalType, type Type } from "./types.ts";
import { childrenOf } from "./validators.ts";
import { NO_OVERLOAD, typeName, type Value } from "./values.ts";

export interface Program {
  readonly type: Type;
  readonly usesOldSelf: boolean;
  /** The estimated maximum cost; 0 when it was not requested. */
  readonly costMax: bigint;
  run(variable: (name: string) => Value | undefined): Outcome;
}

/** Why there is no program: the text is wrong, or a constant part of it fails. */
export interface CompileFailure {
  readonly phase: "compilation" | "program instantiation";
  readonly message: string;
}

export const isFailure = (compiled: Program | CompileFailure): compiled is CompileFailure => "phase" in compiled;

export interface CompileOptions {
  /** Enables cel.bind. */
  readonly hasBind?: boolean;
  /** The variable that the bounds belong to. */
  readonly boundVariable?: string;
  readonly extension?: Extension;
}

/** With `bounds`, the bounds of self, the cost is estimated. */
export function compileCel(
  text: string,
  variables: ReadonlyMap<string, Type>,
  bounds?: Bounds,
  { hasBind, boundVariable, extension }: CompileOptions = {},
): Program | CompileFailure {
  const refuse = (errors: readonly SourceError[]): CompileFailure => ({
    phase: "compilation",
    message: printErrors(text, errors),
  });
  const parsed = parseCel(text, hasBind);
  if (parsed.expr === undefined) return refuse(parsed.errors);
  const checked = checkCel(parsed.expr, variables, extension);
  if (checked.errors.length > 0) return refuse(checked.errors);
  const constants = constantsOf(parsed.expr, checked.idents);
  const message = constantFailure(parsed.expr, constants);
  if (message !== undefined) return { phase: "program instantiation", message };
  const costMax = bounds === undefined ? 0n : estimateCost(parsed.expr, checked, bounds, boundVariable);
  return program(parsed.expr, checked, constants, costMax);
}

const NOTHING = { variable: (): undefined => undefined, qualified: new Map(), overloads: new Map() };

/** Constant parts, and the patterns of searches, are computed once, when the program is created. */
function constantFailure(expr: Expr, constants: ReadonlySet<number>): string | undefined {
  for (const below of childrenOf(expr)) {
    const failure = constantFailure(below, constants);
    if (failure !== undefined) return failure;
  }
  if (expr.kind !== "call") return undefined;
  const [first] = expr.args;
  if ((expr.name === "find" || expr.name === "findAll") && first?.kind === "literal") {
    const compiled = compilePattern(String(first.value));
    if (typeof compiled === "string") return compiled;
  }
  if (first === undefined || !constants.has(expr.id)) return undefined;
  const compute = (each: Expr): Outcome => evaluate(each, { ...NOTHING, constants, costMax: COST_PER_CALL_MAX });
  const { error } = compute(expr);
  return error === NO_OVERLOAD ? `${NO_OVERLOAD}: ${expr.name}(${typeName(compute(first).value ?? null)})` : error;
}

function program(
  expr: Expr,
  { type, qualified, idents, overloads }: Checked,
  constants: ReadonlySet<number>,
  costMax: bigint,
): Program {
  return {
    type,
    usesOldSelf: idents.has("oldSelf"),
    costMax,
    run: (variable) => evaluate(expr, { variable, qualified, overloads, constants, costMax: COST_PER_CALL_MAX }),
  };
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  /** Set in place of a program. */
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
  /** The position of the error, below the schema's path. */
  readonly fieldPath: string;
}

/** `type`: the type of the schema. With bounds, costs are estimated. */
export function compileRule(rule: ValidationRule, schema: JSONSchemaProps, type: Type, bounds?: Bounds): CompiledRule {
  const variables = new Map<string, Type>([
    ["self", type],
    ["oldSelf", rule.optionalOldSelf ? optionalType(type) : type],
  ]);
  const compiled = compileCel(rule.rule, variables, bounds);
  if (isFailure(compiled)) return { rule, error: `${compiled.phase} failed: ${compiled.message}`, fieldPath: "" };
  if (compiled.type.kind !== "bool") return { rule, error: "cel expression must evaluate to a bool", fieldPath: "" };
  const found = rule.fieldPath ? findField(rule.fieldPath, schema, true) : "";
  const fieldPath = typeof found === "string" ? "" : found.text;
  const ready: CompiledRule = { rule, program: compiled, fieldPath };
  if (!rule.messageExpression) return ready;
  const message = compileCel(rule.messageExpression, variables, bounds);
  if (isFailure(message)) {
    const phase = message.phase === "compilation" ? "compilation" : "instantiation";
    return { ...ready, messageError: `messageExpression ${phase} failed: ${message.message}` };
  }
  if (message.type.kind !== "string") return { ...ready, messageError: "messageExpression must evaluate to a string" };
  return { ...ready, message };
}
