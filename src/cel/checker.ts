// Computes the type of every expression, and reports type errors.
// Upstream: github.com/google/cel-go/checker/checker.go

import type { Call, Expr, Fold, ListExpr, MapExpr, Select, SourceError, StructExpr, StructField } from "./ast.ts";
import { type Extension, namedType, type Overload, overloadsOf } from "./declarations.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isDyn,
  isOptional,
  isSameType,
  listType,
  mapType,
  moreGeneral,
  NULL,
  optionalType,
  paramType,
  STRING,
  Substitution,
  type Type,
  typeType,
  UINT,
} from "./types.ts";
import { validateCel } from "./validators.ts";
import { Uint } from "./values.ts";

export interface Checked {
  readonly type: Type;
  readonly errors: readonly SourceError[];
  /** Calls of functions with qualified names, which have no target. */
  readonly qualified: ReadonlyMap<number, string>;
  readonly idents: ReadonlySet<string>;
  /** The possible overloads of each call at run time. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  typeOf(expr: Expr): Type;
}

export function checkCel(expr: Expr, variables: ReadonlyMap<string, Type>, extension?: Extension): Checked {
  const checker = new Checker(variables, extension);
  checker.check(expr);
  const { errors, qualified, idents, overloads } = checker;
  const types = new Map<number, Type>();
  const typeOf = (each: Expr): Type => {
    const type = types.get(each.id) ?? checker.typeOf(each);
    types.set(each.id, type);
    return type;
  };
  if (errors.length === 0) errors.push(...validateCel(expr, typeOf));
  return { type: typeOf(expr), errors, qualified, idents, overloads, typeOf };
}

class Checker {
  readonly errors: SourceError[] = [];
  readonly qualified = new Map<number, string>();
  readonly idents = new Set<string>();
  readonly overloads = new Map<number, string[]>();
  readonly #types = new Map<number, Type>();
  readonly #substitution = new Substitution();
  readonly #global: ReadonlyMap<string, Type>;
  readonly #extension: Extension | undefined;
  #scopes: Map<string, Type>[] = [];
  #variables = 0;

  constructor(variables: ReadonlyMap<string, Type>, extension?: Extension) {
    this.#global = variables;
    this.#extension = extension;
  }

  typeOf(expr: Expr): Type {
    return this.#substitution.apply(this.#get(expr), true);
  }

  #get(expr: Expr): Type {
    return this.#types.get(expr.id) ?? ERROR;
  }

  #error(offset: number, message: string): void {
    this.errors.push({ offset, message });
  }

  #lookup(given: string): Type | undefined {
    const name = given.startsWith(".") ? given.slice(1) : given;
    if (name === given) {
      for (let i = this.#scopes.length - 1; i >= 0; i--) {
        const local = this.#scopes[i]?.get(name);
        if (local !== undefined) return local;
      }
    }
    const global = this.#global.get(name);
    if (global !== undefined) {
      this.idents.add(name);
      return global;
    }
    const named = namedType(name) ?? this.#extension?.structType(name);
    return named && typeType(named);
  }

  #overloads(name: string): readonly Overload[] | undefined {
    return this.#extension?.overloadsOf?.(name) ?? overloadsOf(name);
  }

  check(expr: Expr): void {
    this.#types.set(expr.id, this.#infer(expr));
  }

  #infer(expr: Expr): Type {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident": {
        const type = this.#lookup(expr.name);
        if (type === undefined) this.#undeclared(expr.offset, expr.name);
        return type ?? ERROR;
      }
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "fold":
        return this.#fold(expr);
    }
  }

  #undeclared(offset: number, name: string): void {
    this.#error(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #select(expr: Select): Type {
    const name = qualifiedName(expr);
    // A local variable hides names qualified by it.
    const first = name?.split(".")[0] ?? "";
    const isLocal = this.#scopes.some((scope) => scope.has(first));
    const known = name === undefined || isLocal || expr.isTest ? undefined : this.#lookup(name);
    if (known !== undefined && name !== undefined) {
      this.qualified.set(expr.id, name);
      return known;
    }
    const type = this.#field(expr, expr.operand, expr.field, false);
    return expr.isTest ? BOOL : this.#substitution.apply(type);
  }

  #field(expr: Expr, operand: Expr, field: string, isOptionalSelect: boolean): Type {
    this.check(operand);
    const given = this.#substitution.apply(this.#get(operand));
    const target = isOptional(given) ? (given.params[0] as Type) : given;
    let result: Type = ERROR;
    if (target.kind === "map") result = target.params[1] as Type;
    else if (target.kind === "struct") {
      const found = fieldOf(target, field);
      if (target.fields === undefined && found === undefined) {
        this.#error(expr.offset, `unexpected failed resolution of '${target.name}'`);
      } else if (found === undefined) this.#error(expr.offset, `undefined field '${field}'`);
      else result = found;
    } else {
      if (target.kind === "param") this.#assignable(DYN, target);
      else if (!isDyn(target) && target.kind !== "error") {
        this.#error(expr.offset, `type '${formatType(target)}' does not support field selection`);
      }
      result = DYN;
    }
    return isOptional(given) || isOptionalSelect ? optionalType(result) : result;
  }

  #call(expr: Call): Type {
    const { name, args, target } = expr;
    if (name === "_?._") {
      const [operand, field] = args as [Expr, Expr];
      const text = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
      this.overloads.set(expr.id, ["select_optional_field"]);
      return this.#substitution.apply(this.#field(expr, operand, text, true));
    }
    for (const arg of args) this.check(arg);
    const prefix = target && qualifiedName(target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (target === undefined || (qualified !== undefined && this.#overloads(qualified) !== undefined)) {
      const full = (qualified ?? name).replace(/^\./, "");
      const overloads = this.#overloads(full);
      if (overloads === undefined) {
        this.#undeclared(expr.offset, name);
        return ERROR;
      }
      if (qualified !== undefined) this.qualified.set(expr.id, full);
      return this.#resolve(expr, full, overloads, undefined);
    }
    this.check(target);
    const overloads = this.#overloads(name);
    if (overloads !== undefined) return this.#resolve(expr, name, overloads, target);
    this.#undeclared(expr.offset, name);
    return ERROR;
  }

  #resolve(expr: Call, name: string, overloads: readonly Overload[], target: Expr | undefined): Type {
    const args = target === undefined ? expr.args : [target, ...expr.args];
    if (name === "_&&_" || name === "_||_") {
      let isValid = true;
      for (const arg of args) {
        if (this.#assignable(this.#get(arg), BOOL)) continue;
        this.#mismatch(arg.offset, BOOL, this.#get(arg));
        isValid = false;
      }
      this.overloads.set(
        expr.id,
        overloads.map(({ id }) => id),
      );
      return isValid ? BOOL : ERROR;
    }
    const types = args.map((arg) => this.#get(arg));
    let result: Type | undefined;
    const fitting: string[] = [];
    this.overloads.set(expr.id, fitting);
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const fresh = new Substitution();
      for (const param of overload.params) fresh.set(param, this.#newVariable());
      const wanted = overload.args.map((type) => fresh.apply(type));
      if (!this.#substitution.try((copy) => copy.assignableList(types, wanted))) continue;
      fitting.push(overload.id);
      const found = this.#substitution.apply(fresh.apply(overload.result));
      if (result === undefined) result = found;
      else if (!isDyn(result) && !isSameType(found, result)) result = DYN;
    }
    if (result === undefined) {
      const given = types.map((type) => formatType(this.#substitution.apply(type, true)));
      const signature = target === undefined ? `(${given.join(", ")})` : `${given[0]}.(${given.slice(1).join(", ")})`;
      this.#error(expr.offset, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    return result ?? ERROR;
  }

  #list(expr: ListExpr): Type {
    let element: Type | undefined;
    expr.items.forEach((item, i) => {
      this.check(item);
      element = this.#join(element, this.#valueType(item, expr.optional.has(i)));
    });
    return listType(element ?? this.#newVariable());
  }

  #valueType(expr: Expr, isOptionalEntry: boolean): Type {
    const type = this.#get(expr);
    if (!isOptionalEntry) return type;
    if (isOptional(type)) return type.params[0] as Type;
    if (!isDyn(type)) this.#mismatch(expr.offset, optionalType(type), type);
    return type;
  }

  #map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      this.check(entry.key);
      key = this.#join(key, this.#get(entry.key));
      this.check(entry.value);
      value = this.#join(value, this.#valueType(entry.value, entry.isOptional));
    }
    return mapType(key ?? this.#newVariable(), value ?? this.#newVariable());
  }

  #struct(expr: StructExpr): Type {
    const type = this.#lookup(expr.name);
    const struct = this.#extension?.structType(expr.name.replace(/^\./, ""));
    if (type === undefined) {
      this.#undeclared(expr.offset, expr.name);
      return ERROR;
    }
    if (type.kind !== "type") this.#error(expr.offset, `'${formatType(type)}' is not a type`);
    else if (struct === undefined) {
      this.#error(expr.offset, `'${formatType(type.params[0] as Type)}' is not a message type`);
    } else for (const field of expr.fields) this.#structField(struct, field);
    return struct ?? ERROR;
  }

  #structField(struct: Type, { name, value, offset, isOptional }: StructField): void {
    this.check(value);
    const wanted = fieldOf(struct, name);
    if (wanted === undefined) this.#error(offset, `undefined field '${name}'`);
    const given = this.#valueType(value, isOptional);
    if (wanted === undefined || this.#assignable(wanted, given)) return;
    const provided = `provided type is '${formatType(given)}'`;
    this.#error(offset, `expected type of field '${name}' is '${formatType(wanted)}' but ${provided}`);
  }

  #fold(expr: Fold): Type {
    this.check(expr.range);
    this.check(expr.initial);
    const range = this.#substitution.apply(this.#get(expr.range));
    const accumulator = this.#get(expr.initial);
    this.#scopes.push(new Map([[expr.accumulator, accumulator]]));
    const [first, second] = this.#iteration(expr, range);
    const scope = new Map([[expr.variable, first]]);
    if (expr.variable2 !== "") scope.set(expr.variable2, second);
    this.#scopes.push(scope);
    this.check(expr.condition);
    this.#assert(expr.condition, BOOL);
    this.check(expr.step);
    this.#assert(expr.step, accumulator);
    this.#scopes.pop();
    this.check(expr.result);
    this.#scopes.pop();
    return this.#substitution.apply(this.#get(expr.result));
  }

  #iteration(expr: Fold, range: Type): [Type, Type] {
    const isTwo = expr.variable2 !== "";
    switch (range.kind) {
      case "list":
        return isTwo ? [INT, range.params[0] as Type] : [range.params[0] as Type, ERROR];
      case "map":
        return [range.params[0] as Type, range.params[1] as Type];
      case "dyn":
      case "error":
      case "param":
        this.#assignable(DYN, range);
        return [DYN, DYN];
      default: {
        const text = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#error(expr.range.offset, text);
        return [ERROR, ERROR];
      }
    }
  }

  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    if (this.#assignable(previous, current)) return moreGeneral(previous, current);
    return DYN;
  }

  #assert(expr: Expr, type: Type): void {
    if (!this.#assignable(type, this.#get(expr))) this.#mismatch(expr.offset, type, this.#get(expr));
  }

  #mismatch(offset: number, expected: Type, actual: Type): void {
    this.#error(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #assignable(a: Type, b: Type): boolean {
    return this.#substitution.try((copy) => copy.assignable(a, b));
  }

  #newVariable(): Type {
    return paramType(`_var${this.#variables++}`);
  }
}

const fieldOf = ({ fields, anyField }: Type, name: string): Type | undefined =>
  fields?.get(name) ?? fields?.get(`__${name}__`) ?? anyField;

function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.isTest) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function literalType(value: unknown): Type {
  if (value === null) return NULL;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    default:
      return STRING;
  }
}
