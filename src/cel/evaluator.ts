// Evaluates a checked expression within a budget. && and || absorb errors as CEL requires.
// Upstream: github.com/google/cel-go/interpreter

import type { Call, Expr, Fold } from "./ast.ts";
import { CostLimitExceeded, CostPanic, callCost, LIST_COST, MAP_COST } from "./cost.ts";
import { namedType } from "./declarations.ts";
import { CEL_FUNCTIONS } from "./functions.ts";
import { hasField, optionalSelect, select } from "./operators.ts";
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
  /** Called when a name is used. */
  variable(name: string): Value | undefined;
  readonly costMax: number;
  readonly qualified: ReadonlyMap<number, string>;
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  /** Parts without cost: computed once, when the program was created. */
  readonly constants: ReadonlySet<number>;
}

export interface Outcome {
  readonly cost: number;
  readonly value?: Value;
  /** Set in place of a value. */
  readonly error?: string;
}

export function evaluate(expr: Expr, options: Evaluation): Outcome {
  const evaluator = new Evaluator(options);
  try {
    const value = evaluator.eval(expr);
    return { value, cost: evaluator.cost };
  } catch (error) {
    if (error instanceof CelError || error instanceof CostLimitExceeded || error instanceof CostPanic) {
      return { error: error.message, cost: evaluator.cost };
    }
    throw error;
  }
}

type Scope = Map<string, Value | CelError>;

class Evaluator {
  cost = 0;
  readonly #options: Evaluation;
  readonly #scopes: Scope[] = [];

  constructor(options: Evaluation) {
    this.#options = options;
  }

  #charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#options.costMax) throw new CostLimitExceeded();
  }

  eval(expr: Expr): Value {
    if (expr.kind === "literal") return expr.value;
    if (!this.#options.constants.has(expr.id)) return this.#eval(expr);
    const { cost } = this;
    const value = this.#eval(expr);
    this.cost = cost;
    return value;
  }

  #eval(expr: Expr): Value {
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
        if (expr.isTest) return this.#test(expr.operand, expr.field);
        const operand = this.eval(expr.operand);
        this.#charge(isQualified(expr.operand) ? 1 : 2);
        return select(operand, expr.field);
      }
      case "call":
        return this.#call(expr);
      case "list": {
        const items: Value[] = [];
        return this.#made(LIST_COST, () => {
          expr.items.forEach((item, i) => {
            const value = this.eval(item);
            if (!expr.optional.has(i)) items.push(value);
            else if (!(value instanceof Optional))
              throw new CelError("cannot initialize optional list element from non-optional value");
            else if (value.value !== undefined) items.push(value.value);
          });
          return new ArrayList(items);
        });
      }
      case "map": {
        const entries: [Value, Value][] = [];
        return this.#made(MAP_COST, () => {
          for (const entry of expr.entries) {
            const key = this.eval(entry.key);
            const value = this.eval(entry.value);
            if (!entry.isOptional) entries.push([key, value]);
            else if (value instanceof Optional && value.value !== undefined) entries.push([key, value.value]);
          }
          return LiteralMap.of(entries);
        });
      }
      case "struct":
        return noOverload();
      case "fold":
        return this.#fold(expr);
    }
  }

  /** A failure in the middle has the same cost. */
  #made(cost: number, make: () => Value): Value {
    try {
      const value = make();
      this.#charge(cost);
      return value;
    } catch (error) {
      if (error instanceof CelError) this.#charge(cost);
      throw error;
    }
  }

  #test(operand: Expr, field: string): Value {
    try {
      return hasField(this.eval(operand), field);
    } catch (error) {
      // A missing field counts as part of the name before it, so it costs nothing.
      if (error instanceof CelError && isAttribute(operand)) this.cost--;
      throw error;
    }
  }

  #ident(given: string): Value {
    const name = given.startsWith(".") ? given.slice(1) : given;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const local = this.#scopes[i]?.get(name);
      if (local instanceof CelError) throw local;
      if (local !== undefined) return local;
    }
    const variable = this.#options.variable(name);
    if (variable !== undefined) return variable;
    const type = namedType(name);
    if (type !== undefined) return new TypeValue(type);
    throw new CelError(`no such attribute(s): ${name}`);
  }

  /** The value, or the error. */
  #attempt(expr: Expr): Value | CelError {
    try {
      return this.eval(expr);
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }

  /** `decisive` determines the result, whatever the other side is. */
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
        const branch = (condition ? args[1] : args[2]) as Expr;
        // Upstream does not count the name at the start of a branch.
        if (isAttribute(branch)) this.cost--;
        return this.eval(branch);
      }
      case "@not_strictly_false": {
        const value = this.#attempt(args[0] as Expr);
        this.#charge(1);
        return value !== false;
      }
      case "_?._": {
        const found = optionalSelect(this.eval(args[0] as Expr), (args[1] as Expr & { value: string }).value);
        if (!isNone(found)) this.#charge(1);
        return found;
      }
      case "or":
      case "orValue":
        return this.#orElse(name, expr);
      case "@in":
        // An empty list contains nothing, whatever the value is.
        if (args[1]?.kind === "list" && args[1].items.length === 0) return false;
        break;
      default:
        break;
    }
    const target = this.#options.qualified.has(expr.id) ? undefined : expr.target;
    return this.#run(expr.id, name, target === undefined ? args : [target, ...args]);
  }

  /** A call that fails, or has a failed argument, has its normal cost. */
  #run(id: number, name: string, args: readonly Expr[]): Value {
    const isPlace = name === "_[_]" || name === "_[?_]";
    const values: Value[] = [];
    let failure: CelError | undefined;
    // One or two arguments are all evaluated; with more, and for texts of a known pattern, evaluation stops after a
    // failure.
    const endsEarly = args.length > 2 || (PATTERNS.has(name) && this.#options.constants.has((args[1] as Expr).id));
    for (const arg of args) {
      const value = this.#attempt(arg);
      if (value instanceof CelError) {
        failure ??= value;
        if (isPlace && arg === args[0]) {
          if (!isQualified(arg)) this.#charge(1);
          throw failure;
        }
        if (endsEarly && arg !== args.at(-1)) throw failure;
        values.push(null);
      } else values.push(value);
    }
    let result: Value = null;
    if (failure === undefined) {
      const run = CEL_FUNCTIONS[name];
      try {
        result = run === undefined ? noOverload() : run(...values);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure = error;
      }
    }
    if (isPlace) {
      // An index is part of the name before it, and so is a name inside the brackets.
      if (isAttribute(args[1] as Expr)) this.cost--;
      if (!isQualified(args[0] as Expr)) this.#charge(1);
    }
    const isSetMembership =
      name === "@in" && this.#options.constants.has((args[1] as Expr).id) && isList(values[1] as Value);
    const isFree = isSetMembership || (name === "_[?_]" && isNone(result));
    const [overload = "", ...others] = this.#options.overloads.get(id) ?? [];
    if (!isFree) this.#charge(callCost(name, others.length > 0 ? "" : overload, values, result));
    if (failure !== undefined) throw failure;
    return result;
  }

  /** The alternative is evaluated only if needed. */
  #orElse(name: string, expr: Call): Value {
    const value = this.eval(expr.target as Expr);
    if (!(value instanceof Optional)) return noOverload();
    if (value.value === undefined) return this.eval(expr.args[0] as Expr);
    return name === "or" ? value : value.value;
  }

  /** An error does not end the loop: later items may decide, and cost the same. */
  #fold(expr: Fold): Value {
    const range = this.eval(expr.range);
    const [keys, values] = iteration(range, expr.variable2 !== "");
    const accumulator: Scope = new Map([[expr.accumulator, this.#attempt(expr.initial)]]);
    const scope: Scope = new Map();
    for (let i = 0; i < keys.length; i++) {
      scope.set(expr.variable, keys[i] as Value);
      if (expr.variable2 !== "") scope.set(expr.variable2, values[i] as Value);
      this.#scopes.push(accumulator, scope);
      try {
        if (this.#attempt(expr.condition) === false) break;
        accumulator.set(expr.accumulator, this.#attempt(expr.step));
      } finally {
        this.#scopes.length -= 2;
      }
    }
    this.#scopes.push(accumulator);
    try {
      return this.eval(expr.result);
    } finally {
      this.#scopes.length -= 1;
    }
  }
}

function iteration(range: Value, isTwo: boolean): [Value[], Value[]] {
  if (isList(range)) {
    const items = Array.from({ length: range.size }, (_, i) => range.at(i));
    return isTwo ? [items.map((_, i) => BigInt(i)), items] : [items, []];
  }
  if (!isMap(range)) return noOverload();
  const keys = range.keys();
  return [keys, isTwo ? keys.map((key) => range.get(key) as Value) : []];
}

const PATTERNS: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

/** A name, or a field selection. */
function isAttribute(expr: Expr): boolean {
  if (expr.kind === "select") return !expr.isTest;
  return expr.kind === "ident" || (expr.kind === "call" && expr.name === "_[_]");
}

/** Part of a chain of names and indexes. */
const isQualified = (expr: Expr): boolean =>
  expr.kind === "ident" ||
  expr.kind === "select" ||
  (expr.kind === "call" && ["_[_]", "_[?_]", "_?._", "_?_:_"].includes(expr.name));

const isNone = (value: Value): boolean => value instanceof Optional && value.value === undefined;
