// Evaluates a checked expression within a budget. Errors are absorbed by && and || as CEL demands.
// Upstream: github.com/google/cel-go/interpreter

import type { Call, Expr, Fold } from "./ast.ts";
import { CostLimitExceeded, callCost } from "./cost.ts";
import { namedType } from "./declarations.ts";
import { CEL_FUNCTIONS } from "./functions.ts";
import { hasField, negate, optionalSelect, select } from "./operators.ts";
import {
  ArrayList,
  CelError,
  isList,
  isMap,
  LiteralMap,
  NO_OVERLOAD,
  noOverload,
  Optional,
  TypeValue,
  type Value,
} from "./values.ts";

export interface Evaluation {
  /** Looked at when a name is used. */
  variable(name: string): Value | undefined;
  readonly costMax: number;
  readonly qualified: ReadonlyMap<number, string>;
}

export interface Outcome {
  readonly cost: number;
  readonly value?: Value;
  /** Instead of a value. */
  readonly error?: string;
}

export function evaluate(expr: Expr, options: Evaluation): Outcome {
  const evaluator = new Evaluator(options);
  try {
    const value = evaluator.eval(expr);
    return { value, cost: evaluator.cost };
  } catch (error) {
    if (error instanceof CelError || error instanceof CostLimitExceeded) {
      return { error: error.message, cost: evaluator.cost };
    }
    throw error;
  }
}

class Evaluator {
  cost = 0;
  readonly #options: Evaluation;
  readonly #scopes: Map<string, Value>[] = [];

  constructor(options: Evaluation) {
    this.#options = options;
  }

  #charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#options.costMax) throw new CostLimitExceeded();
  }

  eval(expr: Expr): Value {
    switch (expr.kind) {
      case "literal":
        return expr.value;
      case "ident":
        this.#charge(1);
        return this.#ident(expr.name);
      case "select": {
        const qualified = this.#options.qualified.get(expr.id);
        if (qualified !== undefined) {
          this.#charge(1);
          return this.#ident(qualified);
        }
        const operand = this.eval(expr.operand);
        if (expr.isTest) return hasField(operand, expr.field);
        this.#charge(1);
        return select(operand, expr.field);
      }
      case "call":
        return this.#call(expr);
      case "list": {
        const items: Value[] = [];
        expr.items.forEach((item, i) => {
          const value = this.eval(item);
          if (!expr.optional.has(i)) items.push(value);
          else if (!(value instanceof Optional))
            throw new CelError("cannot initialize optional list element from non-optional value");
          else if (value.value !== undefined) items.push(value.value);
        });
        this.#charge(10);
        return new ArrayList(items);
      }
      case "map": {
        const entries: [Value, Value][] = [];
        for (const entry of expr.entries) {
          const key = this.eval(entry.key);
          const value = this.eval(entry.value);
          if (!entry.isOptional) entries.push([key, value]);
          else if (value instanceof Optional && value.value !== undefined) entries.push([key, value.value]);
        }
        this.#charge(30);
        return LiteralMap.of(entries);
      }
      case "struct":
        return noOverload();
      case "fold":
        return this.#fold(expr);
    }
  }

  #ident(given: string): Value {
    const name = given.startsWith(".") ? given.slice(1) : given;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const scope = this.#scopes[i] as Map<string, Value>;
      if (scope.has(name)) return scope.get(name) as Value;
    }
    const variable = this.#options.variable(name);
    if (variable !== undefined) return variable;
    const type = namedType(name);
    if (type !== undefined) return new TypeValue(type);
    throw new CelError(`no such attribute(s): ${name}`);
  }

  /** The value, or the error it ended with. */
  #attempt(expr: Expr): Value | CelError {
    try {
      return this.eval(expr);
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }

  /** `decisive` decides whatever the other side is. */
  #logic(args: readonly Expr[], decisive: boolean): Value {
    let failure: CelError | undefined;
    for (const arg of args) {
      const value = this.#attempt(arg);
      if (value === decisive) return decisive;
      if (value === !decisive) continue;
      failure ??= value instanceof CelError ? value : new CelError(NO_OVERLOAD);
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  }

  #call(expr: Call): Value {
    const name = this.#options.qualified.get(expr.id) ?? expr.name.replace(/^\./, "");
    const { args } = expr;
    switch (name) {
      case "_&&_":
        return this.#logic(args, false);
      case "_||_":
        return this.#logic(args, true);
      case "_?_:_": {
        const condition = this.eval(args[0] as Expr);
        if (typeof condition !== "boolean") return noOverload();
        return this.eval((condition ? args[1] : args[2]) as Expr);
      }
      case "@not_strictly_false": {
        const value = this.#attempt(args[0] as Expr);
        return value !== false;
      }
      case "!_": {
        const value = this.eval(args[0] as Expr);
        this.#charge(1);
        return typeof value === "boolean" ? !value : noOverload();
      }
      case "-_": {
        const value = this.eval(args[0] as Expr);
        this.#charge(1);
        return negate(value);
      }
      case "_?._": {
        const operand = this.eval(args[0] as Expr);
        this.#charge(1);
        return optionalSelect(operand, (args[1] as Expr & { value: string }).value);
      }
      case "or":
      case "orValue":
        return this.#orElse(name, expr);
      default:
        break;
    }
    const target = this.#options.qualified.has(expr.id) ? undefined : expr.target;
    const values = (target === undefined ? args : [target, ...args]).map((arg) => this.eval(arg));
    const run = CEL_FUNCTIONS[name];
    if (run === undefined) return noOverload();
    const result = run(...values);
    this.#charge(callCost(name, values, result));
    return result;
  }

  /** The alternative is evaluated only when it is needed. */
  #orElse(name: string, expr: Call): Value {
    const value = this.eval(expr.target as Expr);
    if (!(value instanceof Optional)) return noOverload();
    if (value.value === undefined) return this.eval(expr.args[0] as Expr);
    return name === "or" ? value : value.value;
  }

  #fold(expr: Fold): Value {
    const range = this.eval(expr.range);
    const [keys, values] = iteration(range, expr.variable2 !== "");
    const accumulator = new Map<string, Value>([[expr.accumulator, this.eval(expr.initial)]]);
    let failure: CelError | undefined;
    const scope = new Map<string, Value>();
    for (let i = 0; i < keys.length; i++) {
      scope.set(expr.variable, keys[i] as Value);
      if (expr.variable2 !== "") scope.set(expr.variable2, values[i] as Value);
      this.#scopes.push(accumulator, scope);
      try {
        if (!this.#goesOn(expr, failure)) break;
        const next = this.#step(expr, failure);
        failure = next instanceof CelError ? next : undefined;
        if (!(next instanceof CelError)) accumulator.set(expr.accumulator, next);
      } finally {
        this.#scopes.length -= 2;
      }
    }
    if (failure !== undefined) throw failure;
    this.#scopes.push(accumulator);
    try {
      return this.eval(expr.result);
    } finally {
      this.#scopes.length -= 1;
    }
  }

  #goesOn(expr: Fold, failure: CelError | undefined): boolean {
    // An error so far does not end an all() or exists(): what comes may decide.
    if (failure !== undefined) return absorbs(expr);
    return this.eval(expr.condition) === true;
  }

  #step(expr: Fold, failure: CelError | undefined): Value | CelError {
    if (failure === undefined) return this.#attempt(expr.step);
    const { step } = expr;
    if (step.kind !== "call") return failure;
    const value = this.#attempt(step.args[1] as Expr);
    return value === (step.name === "_||_") ? value : failure;
  }
}

const absorbs = ({ step }: Fold): boolean => step.kind === "call" && (step.name === "_&&_" || step.name === "_||_");

function iteration(range: Value, isTwo: boolean): [Value[], Value[]] {
  if (isList(range)) {
    const items = Array.from({ length: range.size }, (_, i) => range.at(i));
    return isTwo ? [items.map((_, i) => BigInt(i)), items] : [items, []];
  }
  if (!isMap(range)) return noOverload();
  const keys = range.keys();
  return [keys, isTwo ? keys.map((key) => range.get(key) as Value) : []];
}
