// Estimates the maximum cost of an expression, from its types and the size limits of its schema.
// Upstream: github.com/google/cel-go/checker/cost.go; apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go

import type { Call, Expr, Fold, ListExpr, MapExpr } from "./ast.ts";
import { type Estimate, libraryEstimate, type Operand, standardEstimate } from "./call-estimates.ts";
import type { Checked } from "./checker.ts";
import { charactersOf, LIST_COST, MAP_COST } from "./cost.ts";
import type { Bounds } from "./schema-bounds.ts";
import { SchemaPath } from "./schema-path.ts";
import {
  fixed,
  larger,
  plus,
  type Size,
  STRING_FACTOR,
  scaled,
  span,
  sum,
  times,
  UNBOUNDED,
  UNKNOWN,
} from "./sizes.ts";
import { isOptional, type Type } from "./types.ts";

/** `root`: the bounds of the variable of that name; absent: of all variables, and of values without one. */
export function estimateCost(expr: Expr, checked: Checked, root: Bounds, variable?: string): bigint {
  return new Estimator(checked, root, variable).cost(expr);
}

/** The sizes of keys or indexes, and of values, in a list or map that an expression created. */
interface Entry {
  readonly kind: "list" | "map";
  readonly key: Size;
  readonly value: Size;
}

interface Local {
  readonly path: SchemaPath;
  readonly size: Size | undefined;
  readonly entry: Entry | undefined;
}

class Estimator {
  readonly #checked: Checked;
  readonly #root: Bounds;
  readonly #variable: string | undefined;
  readonly #paths = new Map<number, SchemaPath>();
  readonly #sizes = new Map<number, Size>();
  readonly #entries = new Map<number, Entry>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, root: Bounds, variable: string | undefined) {
    this.#checked = checked;
    this.#root = root;
    this.#variable = variable;
  }

  cost(expr: Expr): bigint {
    switch (expr.kind) {
      case "literal":
      case "struct":
        return 0n;
      case "ident":
        return this.#name(expr, expr.name.replace(/^\./, ""));
      case "select": {
        const qualified = this.#checked.qualified.get(expr.id);
        if (qualified !== undefined) return this.#name(expr, qualified);
        const cost = this.cost(expr.operand);
        if (expr.isTest) return cost;
        this.#paths.set(expr.id, this.#pathOf(expr.operand).append(expr.field));
        const { kind } = this.#checked.typeOf(expr.operand);
        return kind === "map" || kind === "struct" ? plus(cost, 1n) : cost;
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "fold":
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  #name(expr: Expr, name: string): bigint {
    this.#paths.set(expr.id, this.#local(name)?.path ?? SchemaPath.of(name));
    return 1n;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(expr: Expr): SchemaPath {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? SchemaPath.NONE;
  }

  /** The path begins with a variable: self, or a variable that stands for it. */
  #bySchema([variable, ...names]: readonly string[]): Size | undefined {
    if (variable === undefined || variable !== (this.#variable ?? variable)) return undefined;
    let bounds: Bounds | undefined = this.#root;
    for (const name of names) {
      if (name === "@items" || name === "@values") bounds = bounds.values;
      else bounds = name === "@keys" ? bounds.keys : (bounds.fields?.get(name) ?? bounds.otherFields);
      if (bounds === undefined) return undefined;
    }
    return { min: 0n, max: bounds.max };
  }

  #sizeOf(expr: Expr): Size | undefined {
    const known = this.#sizes.get(expr.id) ?? ownSize(expr);
    if (known !== undefined) return known;
    const size = this.#bySchema(this.#pathOf(expr).names());
    if (size !== undefined) {
      this.#sizes.set(expr.id, size);
      return size;
    }
    if (isScalar(this.#checked.typeOf(expr))) return ONE;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #setSize(expr: Expr, size: Size | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  #entryOf(expr: Expr): Entry | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entry : undefined);
  }

  #setEntry(expr: Expr, entry: Entry | undefined): void {
    if (entry !== undefined) this.#entries.set(expr.id, entry);
  }

  #operand(expr: Expr): Operand {
    const path = this.#pathOf(expr);
    return {
      type: this.#checked.typeOf(expr),
      expr,
      size: this.#sizeOf(expr),
      itemSize: () => (path.length === 0 ? undefined : this.#bySchema([...path.names(), "@items"])),
    };
  }

  #call(expr: Call): bigint {
    const { args } = expr;
    const qualified = this.#checked.qualified.get(expr.id);
    const name = qualified ?? expr.name.replace(/^\./, "");
    if (name === "dyn") {
      const [given] = args as [Expr];
      const cost = plus(1n, this.cost(given));
      this.#setSize(expr, this.#sizeOf(given));
      this.#setEntry(expr, this.#entryOf(given));
      return cost;
    }
    const costs: bigint[] = [];
    const operands: Operand[] = [];
    for (const arg of args) {
      costs.push(this.cost(arg));
      operands.push(this.#operand(arg));
    }
    const target = qualified === undefined ? expr.target : undefined;
    const ofTarget = target === undefined ? 0n : this.cost(target);
    const targetOperand = target && this.#operand(target);
    let most = 0n;
    let size: Size | undefined;
    for (const overload of this.#checked.overloads.get(expr.id) ?? []) {
      const estimate = this.#overload(expr, name, overload, targetOperand, operands, costs);
      most = larger(most, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : span(size, estimate.size);
      if (overload === "index_list" || overload === "index_map") {
        const [indexed] = args as [Expr];
        size = this.#entryOf(indexed)?.value;
        this.#paths.set(expr.id, this.#pathOf(indexed).append(overload === "index_list" ? "@items" : "@values"));
      }
      size ??= this.#sizeOf(expr);
    }
    this.#setSize(expr, size);
    return plus(ofTarget, most);
  }

  #overload(
    expr: Call,
    name: string,
    overload: string,
    target: Operand | undefined,
    args: readonly Operand[],
    costs: readonly bigint[],
  ): Estimate {
    if (overload === "conditional") return this.#conditional(expr, args, costs as [bigint, bigint, bigint]);
    const ofArgs = costs.reduce(plus, 0n);
    if (overload === "logical_and" || overload === "logical_or") return { cost: ofArgs };
    const own =
      libraryEstimate(name, overload, target, args) ??
      standardEstimate(overload, target, args) ??
      this.#addition(expr, overload, args);
    return own === undefined ? { cost: plus(1n, ofArgs) } : { ...own, cost: plus(own.cost, ofArgs) };
  }

  #conditional(expr: Call, args: readonly Operand[], costs: readonly [bigint, bigint, bigint]): Estimate {
    const [, then, otherwise] = args as [Operand, Operand, Operand];
    this.#setEntry(expr, spanOfEntries(this.#entryOf(then.expr), this.#entryOf(otherwise.expr)));
    return {
      cost: plus(costs[0], larger(costs[1], costs[2])),
      size: span(then.size ?? UNKNOWN, otherwise.size ?? UNKNOWN),
    };
  }

  #addition(expr: Call, overload: string, args: readonly Operand[]): Estimate | undefined {
    if (overload !== "add_string" && overload !== "add_bytes" && overload !== "add_list") return undefined;
    const [a, b] = args as [Operand, Operand];
    const size = sum(a.size ?? UNKNOWN, b.size ?? UNKNOWN);
    this.#setEntry(expr, spanOfEntries(this.#entryOf(a.expr), this.#entryOf(b.expr)));
    // Lists are joined without a copy.
    return { cost: overload === "add_list" ? 1n : scaled(size.max, STRING_FACTOR), size };
  }

  #list(expr: ListExpr): bigint {
    let cost = BigInt(LIST_COST);
    let value = NOTHING;
    for (const item of expr.items) {
      cost = plus(cost, this.cost(item));
      value = span(value, this.#sizeOf(item) ?? UNKNOWN);
    }
    this.#setEntry(expr, { kind: "list", key: ONE, value: expr.items.length === 0 ? EMPTY : value });
    return cost;
  }

  #map(expr: MapExpr): bigint {
    let cost = BigInt(MAP_COST);
    let [key, value] = [NOTHING, NOTHING];
    for (const entry of expr.entries) {
      cost = plus(cost, plus(this.cost(entry.key), this.cost(entry.value)));
      key = span(key, this.#sizeOf(entry.key) ?? UNKNOWN);
      value = span(value, this.#sizeOf(entry.value) ?? UNKNOWN);
    }
    const isEmpty = expr.entries.length === 0;
    this.#setEntry(expr, { kind: "map", key: isEmpty ? EMPTY : key, value: isEmpty ? EMPTY : value });
    return cost;
  }

  #binding(expr: Fold): bigint {
    const cost = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#push(expr.accumulator, this.#asLocal(expr.initial));
    const ofResult = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#setSize(expr, this.#sizeOf(expr.result));
    this.#setEntry(expr, this.#entryOf(expr.result));
    return plus(cost, ofResult);
  }

  #asLocal(expr: Expr): Local {
    return { path: this.#pathOf(expr), size: this.#sizeOf(expr), entry: this.#entryOf(expr) };
  }

  #fold(expr: Fold): bigint {
    const { range, initial, variable, variable2 } = expr;
    const before = plus(this.cost(range), this.cost(initial));
    this.#push(expr.accumulator, this.#asLocal(initial));
    const entry = this.#entryOf(range);
    const isList = (entry?.kind ?? this.#checked.typeOf(range).kind) === "list";
    const ofValues = (): Local => this.#iterated(range, isList ? "@items" : "@values", entry?.value);
    const ofKeys = (): Local => this.#iterated(range, isList ? "@indices" : "@keys", entry?.key);
    this.#push(variable, variable2 === "" && isList ? ofValues() : ofKeys());
    if (variable2 !== "") this.#push(variable2, ofValues());
    const each = plus(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(variable);
    if (variable2 !== "") this.#pop(variable2);
    const after = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOf(range) ?? UNKNOWN;
    if (initial.kind === "literal") this.#setSize(expr, this.#sizeOf(initial));
    else if (initial.kind === "list" || initial.kind === "map") {
      this.#setSize(expr, count);
      this.#setEntry(expr, this.#entryOf(expr.step));
    }
    return plus(plus(before, after), times(count.max, each));
  }

  #iterated(range: Expr, way: string, size: Size | undefined): Local {
    return { path: this.#pathOf(range).append(way), size, entry: undefined };
  }
}

const ONE = fixed(1n);
const EMPTY = fixed(0n);
/** The neutral element: a span with another size gives that size. */
const NOTHING: Size = { min: UNBOUNDED, max: 0n };

/** A binding: a value with a name, evaluated once, as a loop without items. */
const isBinding = ({ range, condition }: Fold): boolean =>
  range.kind === "list" && range.items.length === 0 && condition.kind === "literal" && condition.value === false;

function spanOfEntries(a: Entry | undefined, b: Entry | undefined): Entry | undefined {
  return a && b && { kind: a.kind, key: span(a.key, b.key), value: span(a.value, b.value) };
}

/** The size that is visible in the text. */
function ownSize(expr: Expr): Size | undefined {
  if (expr.kind === "list") return fixed(BigInt(expr.items.length));
  if (expr.kind === "map") return fixed(BigInt(expr.entries.length));
  if (expr.kind !== "literal") return undefined;
  if (typeof expr.value === "string") return fixed(BigInt(charactersOf(expr.value)));
  return expr.value instanceof Uint8Array ? fixed(BigInt(expr.value.length)) : ONE;
}

const SCALARS: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

const isScalar = (type: Type): boolean =>
  SCALARS.has(type.kind) || (isOptional(type) && isScalar(type.params[0] as Type));
