// Finds errors in an expression with correct types: invalid literals, lists of mixed types, format strings that do not
// match their arguments.
// Upstream: github.com/google/cel-go/cel/validator.go; ext/formatting.go, stringFormatValidator

import { ValueError } from "#api/errors.ts";
import { parseDuration } from "#api/go-duration.ts";
import type { Call, Expr, SourceError } from "./ast.ts";
import { formatClauses } from "./format-string.ts";
import { compilePattern } from "./patterns.ts";
import { parseTimestamp } from "./times.ts";
import { declaredName, formatType, isSameType, type Type } from "./types.ts";
import { CelError } from "./values.ts";

export function validateCel(expr: Expr, typeOf: (expr: Expr) => Type): SourceError[] {
  const errors: SourceError[] = [];
  visit(expr, false, (each, isExempt) => {
    if (each.kind === "call") checkCall(errors, each, typeOf);
    else if (!isExempt) checkAggregate(errors, each, typeOf);
  });
  return errors;
}

/** Arguments of format() may have mixed types. */
function visit(expr: Expr, isExempt: boolean, look: (expr: Expr, isExempt: boolean) => void): void {
  look(expr, isExempt);
  const exempt = isExempt || (expr.kind === "call" && expr.name === "format");
  for (const below of childrenOf(expr)) visit(below, exempt, look);
}

export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "fold":
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

function checkAggregate(errors: SourceError[], expr: Expr, typeOf: (expr: Expr) => Type): void {
  const mismatch = ({ offset }: Expr, expected: Type, actual: Type): void => {
    errors.push({ offset, message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'` });
  };
  const inner = (each: Expr, isOptional: boolean): Type => {
    const type = typeOf(each);
    return isOptional ? (type.params[0] ?? type) : type;
  };
  if (expr.kind === "list") {
    const types = expr.items.map((item, i) => inner(item, expr.optional.has(i)));
    const odd = types.findIndex((type) => !isSameType(type, types[0] as Type));
    if (odd > 0) mismatch(expr.items[odd] as Expr, types[0] as Type, types[odd] as Type);
  } else if (expr.kind === "map") {
    const [first, ...rest] = expr.entries;
    if (first === undefined) return;
    const [keyType, valueType] = [typeOf(first.key), inner(first.value, first.isOptional)];
    for (const { key, value, isOptional } of rest) {
      if (!isSameType(typeOf(key), keyType)) mismatch(key, keyType, typeOf(key));
      const type = inner(value, isOptional);
      if (!isSameType(type, valueType)) mismatch(value, valueType, type);
    }
  }
}

function checkCall(errors: SourceError[], expr: Call, typeOf: (expr: Expr) => Type): void {
  const { name, args, target } = expr;
  if (name === "format" && target?.kind === "literal" && typeof target.value === "string" && args[0]?.kind === "list") {
    checkFormat(errors, expr, target.value, args[0].items, typeOf);
    return;
  }
  // As upstream, this also applies to matches(text, pattern), whose pattern is not checked.
  const arg = ["matches", "duration", "timestamp"].includes(name) ? args[0] : undefined;
  if (arg?.kind !== "literal" || typeof arg.value !== "string") return;
  const text = arg.value;
  const isValid =
    name === "matches"
      ? typeof compilePattern(text) !== "string"
      : name === "duration"
        ? isDurationText(text)
        : parseTimestamp(text) !== undefined;
  if (!isValid) errors.push({ offset: arg.offset, message: `invalid ${name} argument` });
}

function isDurationText(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

const ALLOWED: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  d: ["decimal clause can only be used on integers", ["int", "uint"]],
  f: ["fixed-point clause can only be used on doubles", ["double", "string"]],
  e: ["scientific clause can only be used on doubles", ["double", "string"]],
  b: ["only integers and bools can be formatted as binary", ["int", "uint", "bool"]],
  o: ["octal clause can only be used on integers", ["int", "uint"]],
  x: ["only integers, byte buffers, and strings can be formatted as hex", ["int", "uint", "string", "bytes"]],
  X: ["only integers, byte buffers, and strings can be formatted as hex", ["int", "uint", "string", "bytes"]],
  s: [
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  ],
};

function checkFormat(
  errors: SourceError[],
  expr: Call,
  pattern: string,
  args: readonly Expr[],
  typeOf: (expr: Expr) => Type,
): void {
  const add = (offset: number, message: string): void => {
    errors.push({ offset, message });
  };
  let used = 0;
  try {
    for (const { verb } of formatClauses(pattern, args.length)) {
      if (verb === undefined) continue;
      const [complaint, kinds] = ALLOWED[verb] as readonly [string, readonly string[]];
      const bad = misfit(args[used++] as Expr, kinds, verb === "s", typeOf);
      if (bad === undefined) continue;
      add(bad.offset, `error during formatting: ${complaint}, was given ${declaredName(typeOf(bad))}`);
      return;
    }
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    add(expr.offset, error.message);
    return;
  }
  if (args.length > used) {
    add(expr.offset, `too many arguments supplied to string.format (expected ${used}, got ${args.length})`);
  }
}

/** The part of an argument that a clause cannot format. */
function misfit(expr: Expr, kinds: readonly string[], isDeep: boolean, typeOf: (expr: Expr) => Type): Expr | undefined {
  const type = typeOf(expr);
  if (type.kind !== "dyn" && type.kind !== "param" && !kinds.includes(type.kind)) return expr;
  if (!isDeep || (expr.kind !== "list" && expr.kind !== "map")) return undefined;
  for (const below of childrenOf(expr)) {
    const bad = misfit(below, kinds, true, typeOf);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
