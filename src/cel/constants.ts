// Which parts of an expression are computed once, when its program is created, and cost nothing at run time.
// Upstream: github.com/google/cel-go/interpreter/decorators.go, decOptimize

import type { Expr } from "./ast.ts";
import { namedType } from "./declarations.ts";
import { childrenOf } from "./validators.ts";

const CONVERSIONS: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "dyn",
  "duration",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** The ids of the outermost constant parts and of everything below them. */
export function constantsOf(expr: Expr, variables: ReadonlySet<string>): ReadonlySet<number> {
  const constants = new Set<number>();
  collect(expr, variables, constants);
  return constants;
}

function collect(expr: Expr, variables: ReadonlySet<string>, constants: Set<number>): boolean {
  const local =
    expr.kind === "fold" ? new Set([...variables, expr.variable, expr.variable2, expr.accumulator]) : variables;
  const below = childrenOf(expr).map((child) => collect(child, local, constants));
  const isConstant = below.every((each) => each) && isFolded(expr, variables);
  if (isConstant) constants.add(expr.id);
  return isConstant;
}

function isFolded(expr: Expr, variables: ReadonlySet<string>): boolean {
  switch (expr.kind) {
    case "literal":
      return true;
    case "ident":
      return !variables.has(expr.name) && namedType(expr.name) !== undefined;
    case "list":
      return expr.optional.size === 0;
    case "map":
      return expr.entries.every(({ isOptional }) => !isOptional);
    case "call":
      return expr.target === undefined && expr.args.length === 1 && CONVERSIONS.has(expr.name);
    default:
      return false;
  }
}
