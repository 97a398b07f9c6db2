// Macros: calls that are rewritten before the type check.
// Upstream: github.com/google/cel-go/parser/macro.go; cel/library.go (optional); ext/comprehensions.go; ext/lists.go

import type { Expr } from "./ast.ts";
import type { Value } from "./values.ts";

export interface MacroContext {
  readonly hasBind: boolean;
  nextId(): number;
  report(offset: number, message: string): Expr;
}

export interface MacroCall {
  readonly name: string;
  readonly offset: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

const ACCUMULATOR = "@result";

/** Undefined: not a macro. */
export function expandMacro(context: MacroContext, call: MacroCall): Expr | undefined {
  const { name, target, args } = call;
  const make = new Maker(context, call.offset);
  if (target === undefined)
    return name === "has" && args.length === 1 ? has(context, make, args[0] as Expr) : undefined;
  if (name === "bind" && context.hasBind && isNamed(target, "cel") && args.length === 3) {
    return bind(context, make, args as [Expr, Expr, Expr]);
  }
  const two = TWO_VARIABLES[name]?.includes(args.length) === true;
  if (!two && ONE_VARIABLE[name]?.includes(args.length) !== true) return undefined;
  if (name === "sortBy") return sortBy(context, make, target, args);
  const variables = variablesOf(context, name, args, two);
  if (typeof variables !== "object" || !Array.isArray(variables)) return variables as Expr;
  const rest = args.slice(variables.length);
  return fold(make, name, target, variables, rest);
}

const ONE_VARIABLE: Readonly<Record<string, readonly number[]>> = {
  __proto__: null as never,
  all: [2],
  exists: [2],
  exists_one: [2],
  map: [2, 3],
  filter: [2],
  optMap: [2],
  optFlatMap: [2],
  sortBy: [2],
};
const TWO_VARIABLES: Readonly<Record<string, readonly number[]>> = {
  __proto__: null as never,
  all: [3],
  exists: [3],
  exists_one: [3],
  existsOne: [3],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
};

class Maker {
  readonly #context: MacroContext;
  readonly #offset: number;

  constructor(context: MacroContext, offset: number) {
    this.#context = context;
    this.#offset = offset;
  }

  get #node(): { id: number; offset: number } {
    return { id: this.#context.nextId(), offset: this.#offset };
  }

  literal(value: Value): Expr {
    return { kind: "literal", ...this.#node, value };
  }

  ident(name = ACCUMULATOR): Expr {
    return { kind: "ident", ...this.#node, name };
  }

  call(name: string, ...args: Expr[]): Expr {
    return { kind: "call", ...this.#node, name, target: undefined, args };
  }

  member(name: string, target: Expr, ...args: Expr[]): Expr {
    return { kind: "call", ...this.#node, name, target, args };
  }

  list(...items: Expr[]): Expr {
    return { kind: "list", ...this.#node, items, optional: new Set() };
  }

  map(): Expr {
    return { kind: "map", ...this.#node, entries: [] };
  }

  test(operand: Expr, field: string): Expr {
    return { kind: "select", ...this.#node, operand, field, isTest: true };
  }

  fold(parts: {
    range: Expr;
    variables: readonly string[];
    accumulator?: string;
    initial: Expr;
    condition: Expr;
    step: Expr;
    result: Expr;
  }): Expr {
    const { variables, accumulator = ACCUMULATOR, ...rest } = parts;
    const [variable = "", variable2 = ""] = variables;
    return { kind: "fold", ...this.#node, variable, variable2, accumulator, ...rest };
  }

  /** A binding: a value with a name, as a loop without items. */
  binding(name: string, value: Expr, result: Expr): Expr {
    return this.fold({
      range: this.list(),
      variables: ["#unused"],
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.ident(name),
      result,
    });
  }
}

function has(context: MacroContext, make: Maker, argument: Expr): Expr {
  if (argument.kind === "select") return make.test(argument.operand, argument.field);
  return context.report(argument.offset, "invalid argument to has() macro");
}

const SIMPLE_NAME: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "existsOne"]);

function variablesOf(context: MacroContext, name: string, args: readonly Expr[], two: boolean): string[] | Expr {
  const names: string[] = [];
  for (const argument of args.slice(0, two ? 2 : 1)) {
    if (argument.kind !== "ident") {
      const isOptional = name === "optMap" || name === "optFlatMap";
      const text = isOptional
        ? `${name}() variable name must be a simple identifier`
        : two || SIMPLE_NAME.has(name)
          ? "argument must be a simple name"
          : "argument is not an identifier";
      return context.report(argument.offset, text);
    }
    if (names.includes(argument.name))
      return context.report(argument.offset, `duplicate variable name: ${argument.name}`);
    if (argument.name === "__result__") {
      return context.report(argument.offset, "iteration variable overwrites accumulator variable");
    }
    names.push(argument.name);
  }
  return names;
}

function fold(make: Maker, name: string, range: Expr, variables: readonly string[], rest: readonly Expr[]): Expr {
  const [first, second] = rest as [Expr, Expr | undefined];
  const always = (): Expr => make.literal(true);
  /** With a filter, the step applies only to items that pass it. */
  const filtered = (step: (value: Expr) => Expr): Expr =>
    second === undefined ? step(first) : make.call("_?_:_", first, step(second), make.ident());
  const result = (): Expr => make.ident();
  switch (name) {
    case "all": {
      const condition = make.call("@not_strictly_false", make.ident());
      const step = make.call("_&&_", make.ident(), first);
      return make.fold({ range, variables, initial: make.literal(true), condition, step, result: result() });
    }
    case "exists": {
      const condition = make.call("@not_strictly_false", make.call("!_", make.ident()));
      const step = make.call("_||_", make.ident(), first);
      return make.fold({ range, variables, initial: make.literal(false), condition, step, result: result() });
    }
    case "exists_one":
    case "existsOne": {
      const step = make.call("_?_:_", first, make.call("_+_", make.ident(), make.literal(1n)), make.ident());
      const isOne = make.call("_==_", make.ident(), make.literal(1n));
      return make.fold({ range, variables, initial: make.literal(0n), condition: always(), step, result: isOne });
    }
    case "filter": {
      const kept = make.call("_+_", make.ident(), make.list(make.ident(variables[0])));
      const step = make.call("_?_:_", first, kept, make.ident());
      return make.fold({ range, variables, initial: make.list(), condition: always(), step, result: result() });
    }
    case "map":
    case "transformList": {
      const step = filtered((value) => make.call("_+_", make.ident(), make.list(value)));
      return make.fold({ range, variables, initial: make.list(), condition: always(), step, result: result() });
    }
    case "transformMap":
    case "transformMapEntry": {
      const key = name === "transformMap" ? [make.ident(variables[0])] : [];
      const step = filtered((value) => make.call("cel.@mapInsert", make.ident(), ...key, value));
      return make.fold({ range, variables, initial: make.map(), condition: always(), step, result: result() });
    }
    default:
      return optional(make, name, range, variables[0] as string, first);
  }
}

/** target.optMap(v, expr) is expr with v bound to the value, if there is one. */
function optional(make: Maker, name: string, target: Expr, variable: string, body: Expr): Expr {
  const mapped = make.binding(variable, make.member("value", target), body);
  const some = name === "optMap" ? make.call("optional.of", mapped) : mapped;
  return make.call("_?_:_", make.member("hasValue", target), some, make.call("optional.none"));
}

const isNamed = (expr: Expr, name: string): boolean => expr.kind === "ident" && expr.name === name;

/** cel.bind(name, value, expr) is expr with the name bound to the value. */
function bind(context: MacroContext, make: Maker, [variable, initial, body]: [Expr, Expr, Expr]): Expr {
  if (variable.kind !== "ident") {
    return context.report(variable.offset, "cel.bind() variable names must be simple identifiers");
  }
  return make.binding(variable.name, initial, body);
}

function sortBy(context: MacroContext, make: Maker, target: Expr, args: readonly Expr[]): Expr {
  if (target.kind === "literal" || target.kind === "map" || target.kind === "struct") {
    const text = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    return context.report(target.offset, text);
  }
  const variables = variablesOf(context, "map", args, false);
  if (!Array.isArray(variables)) return variables;
  const input = "@__sortBy_input__";
  const keys = fold(make, "map", make.ident(input), variables, args.slice(1));
  return make.binding(input, target, make.member("@sortByAssociatedKeys", make.ident(input), keys));
}
