// Parses text to expressions, by recursive descent over the grammar of CEL. The messages are those of upstream's parser
// if an expression is missing or does not end.
//
// Deviation: stops after the first syntax error; upstream recovers and may find more.
// Upstream: github.com/google/cel-go/parser/parser.go

import { type Expr, type MapEntry, NOWHERE, type SourceError, type StructField } from "./ast.ts";
import { type Token, tokenize, unquote } from "./lexer.ts";
import { expandMacro, type MacroContext } from "./macros.ts";
import { Uint, type Value } from "./values.ts";

class SyntaxFailure extends Error {
  override readonly name = "SyntaxFailure";
}

export interface Parsed {
  readonly expr: Expr | undefined;
  readonly errors: readonly SourceError[];
}

const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);
const EXPECTED_EXPR =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const DEPTH_MAX = 250;

/** `hasBind` enables cel.bind. */
export function parseCel(text: string, hasBind = false): Parsed {
  const errors: SourceError[] = [];
  const tokens = tokenize(text, errors);
  const parser = new Parser(tokens, errors, hasBind);
  try {
    const expr = parser.parse();
    return { expr: errors.length === 0 ? expr : undefined, errors };
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { expr: undefined, errors };
  }
}

class Parser implements MacroContext {
  readonly hasBind: boolean;
  readonly #tokens: readonly Token[];
  readonly #errors: SourceError[];
  #at = 0;
  #ids = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], errors: SourceError[], hasBind: boolean) {
    this.hasBind = hasBind;
    this.#tokens = tokens;
    this.#errors = errors;
  }

  nextId(): number {
    return ++this.#ids;
  }

  report(offset: number, message: string): Expr {
    this.#errors.push({ offset, message });
    return { kind: "literal", id: this.nextId(), offset, value: "<<error>>" };
  }

  parse(): Expr {
    const expr = this.#expr();
    const { kind, text } = this.#peek();
    if (kind !== "end") this.#fail(`extraneous input '${text}' expecting <EOF>`);
    return expr;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return (token.kind === "symbol" || token.kind === "keyword") && token.text === text;
  }

  #take(text: string): Token | undefined {
    return this.#is(text) ? this.#next() : undefined;
  }

  #expect(text: string, expected = `'${text}'`): Token {
    return this.#take(text) ?? this.#fail(`mismatched input '${this.#peek().text}' expecting ${expected}`);
  }

  #fail(message: string, offset = this.#peek().offset): never {
    this.#errors.push({ offset, message: `Syntax error: ${message}` });
    throw new SyntaxFailure(message);
  }

  #call(name: string, { offset }: { readonly offset: number }, args: readonly Expr[], target?: Expr): Expr {
    const id = this.nextId();
    const expanded = expandMacro(this, { name, offset, target, args });
    return expanded ?? { kind: "call", id, offset, name, target, args };
  }

  #expr(): Expr {
    if (++this.#depth > DEPTH_MAX) this.#tooDeep(`expression recursion limit exceeded: ${DEPTH_MAX}`);
    const condition = this.#or();
    const question = this.#take("?");
    let result = condition;
    if (question !== undefined) {
      const then = this.#or();
      this.#expect(":");
      result = this.#call("_?_:_", question, [condition, then, this.#expr()]);
    }
    this.#depth--;
    return result;
  }

  /** All terms of a chain are one call, so that long chains are not deep. */
  #chain(text: "||" | "&&", below: () => Expr): Expr {
    const terms = [below()];
    let first: Token | undefined;
    for (let op = this.#take(text); op !== undefined; op = this.#take(text)) {
      first ??= op;
      terms.push(below());
    }
    return first === undefined ? (terms[0] as Expr) : this.#call(`_${text}_`, first, terms);
  }

  #or(): Expr {
    return this.#chain("||", () => this.#and());
  }

  #and(): Expr {
    return this.#chain("&&", () => this.#relation());
  }

  /** No other error is reported for such a text. */
  #tooDeep(message: string): never {
    this.#errors.splice(0, this.#errors.length, { offset: NOWHERE, message });
    throw new SyntaxFailure(message);
  }

  /** Each link of a chain is a level of its tree. */
  #checkLinks(count: number): void {
    if (count > DEPTH_MAX) this.#tooDeep("max recursion depth exceeded");
  }

  #binary(operators: readonly string[], below: () => Expr): Expr {
    let left = below();
    for (let links = 1; ; links++) {
      const operator = operators.find((text) => this.#is(text));
      if (operator === undefined) return left;
      this.#checkLinks(links);
      const op = this.#next();
      left = this.#call(operator === "in" ? "@in" : `_${operator}_`, op, [left, below()]);
    }
  }

  #relation(): Expr {
    return this.#binary(["<", "<=", ">=", ">", "==", "!=", "in"], () => this.#sum());
  }

  #sum(): Expr {
    return this.#binary(["+", "-"], () => this.#product());
  }

  #product(): Expr {
    return this.#binary(["*", "/", "%"], () => this.#unary());
  }

  #unary(): Expr {
    for (const [text, name] of [
      ["!", "!_"],
      ["-", "-_"],
    ] as const) {
      if (!this.#is(text)) continue;
      const first = this.#peek();
      const isNumber = text === "-" && ["int", "float"].includes(this.#peek(1).kind);
      if (isNumber) return this.#member(this.#literal());
      let count = 0;
      while (this.#take(text)) count++;
      const operand = this.#member();
      return count % 2 === 0 ? operand : this.#call(name, first, [operand]);
    }
    return this.#member();
  }

  #member(start?: Expr): Expr {
    let operand = start ?? this.#primary();
    for (let links = 0; ; links++) {
      this.#checkLinks(links);
      const dot = this.#take(".");
      if (dot !== undefined) operand = this.#afterDot(operand, dot);
      else if (this.#is("[")) {
        const open = this.#next();
        const isOptional = this.#take("?") !== undefined;
        const index = this.#expr();
        this.#expect("]");
        operand = this.#call(isOptional ? "_[?_]" : "_[_]", open, [operand, index]);
      } else return operand;
    }
  }

  #afterDot(operand: Expr, dot: Token): Expr {
    const isOptional = this.#take("?") !== undefined;
    const name = this.#peek();
    if (name.kind !== "ident") {
      if (name.kind === "keyword" && name.text !== "in")
        this.#fail(`mismatched input '${name.text}' expecting IDENTIFIER`);
      this.#fail(`no viable alternative at input '.${name.kind === "end" ? "" : name.text}'`);
    }
    this.#next();
    if (isOptional) {
      const field: Expr = { kind: "literal", id: this.nextId(), offset: name.offset, value: name.text };
      return {
        kind: "call",
        id: this.nextId(),
        offset: dot.offset,
        name: "_?._",
        target: undefined,
        args: [operand, field],
      };
    }
    const open = this.#take("(");
    if (open !== undefined) return this.#call(name.text, open, this.#arguments(")"), operand);
    return { kind: "select", id: this.nextId(), offset: dot.offset, operand, field: name.text, isTest: false };
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = [];
    if (this.#take(close)) return args;
    do args.push(this.#expr());
    while (this.#take(","));
    this.#expect(close, `{'${close}', ','}`);
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    if (this.#is("(")) {
      this.#next();
      const inner = this.#expr();
      this.#expect(")");
      return inner;
    }
    if (this.#is("[")) return this.#list();
    if (this.#is("{")) return this.#map();
    if (this.#is(".") || token.kind === "ident") return this.#name();
    return this.#literal();
  }

  #name(): Expr {
    const start = this.#peek();
    const dot = this.#take(".") === undefined ? "" : ".";
    const token = this.#peek();
    if (token.kind !== "ident") this.#fail(`mismatched input '${token.text}' expecting IDENTIFIER`);
    this.#next();
    const name = dot + token.text;
    if (this.#isStruct()) return this.#struct(name, start);
    if (RESERVED.has(token.text)) return this.report(start.offset, `reserved identifier: ${token.text}`);
    const open = this.#take("(");
    if (open !== undefined) return this.#call(name, open, this.#arguments(")"));
    return { kind: "ident", id: this.nextId(), offset: token.offset, name };
  }

  /** A name, possibly qualified, before a brace. */
  #isStruct(): boolean {
    let ahead = 0;
    while (this.#peek(ahead).text === "." && this.#peek(ahead + 1).kind === "ident") ahead += 2;
    const { kind, text } = this.#peek(ahead);
    return kind === "symbol" && text === "{";
  }

  #struct(first: string, _start: Token): Expr {
    let name = first;
    while (this.#take(".")) name += `.${this.#next().text}`;
    const open = this.#expect("{");
    const id = this.nextId();
    const fields: StructField[] = [];
    while (!this.#is("}")) {
      const isOptional = this.#take("?") !== undefined;
      const { kind, text } = this.#peek();
      if (kind !== "ident")
        this.#fail(`mismatched input '${text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      const field = this.#next();
      const colon = this.#expect(":");
      fields.push({ name: field.text, value: this.#expr(), offset: colon.offset, isOptional });
      if (!this.#take(",")) break;
    }
    this.#expect("}");
    return { kind: "struct", id, offset: open.offset, name, fields };
  }

  #list(): Expr {
    const open = this.#next();
    const id = this.nextId();
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#is("]")) {
      if (this.#take("?")) optional.add(items.length);
      items.push(this.#expr());
      if (!this.#take(",")) break;
    }
    this.#expect("]", "{']', ','}");
    return { kind: "list", id, offset: open.offset, items, optional };
  }

  #map(): Expr {
    const open = this.#next();
    const id = this.nextId();
    const entries: MapEntry[] = [];
    while (!this.#is("}")) {
      const isOptional = this.#take("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":");
      entries.push({ id: this.nextId(), offset: colon.offset, key, value: this.#expr(), isOptional });
      if (!this.#take(",")) break;
    }
    this.#expect("}", "{'}', ','}");
    return { kind: "map", id, offset: open.offset, entries };
  }

  #literal(): Expr {
    const { offset } = this.#peek();
    const sign = this.#take("-") === undefined ? "" : "-";
    const token = this.#next();
    const of = (value: Value): Expr => ({ kind: "literal", id: this.nextId(), offset, value });
    switch (token.kind) {
      case "int": {
        const value = BigInt(token.text) * (sign === "" ? 1n : -1n);
        return BigInt.asIntN(64, value) === value ? of(value) : this.report(offset, "invalid int literal");
      }
      case "uint": {
        const value = BigInt(token.text.slice(0, -1));
        return value < 1n << 64n ? of(new Uint(value)) : this.report(offset, "invalid uint literal");
      }
      case "float": {
        const value = Number(sign + token.text);
        return Number.isFinite(value) ? of(value) : this.report(offset, "invalid double literal");
      }
      case "string":
      case "bytes": {
        const isBytes = token.kind === "bytes";
        const value = unquote(isBytes ? token.text.slice(1) : token.text, isBytes);
        return value === undefined ? this.report(offset, "unable to unescape string") : of(value);
      }
      case "keyword":
        if (token.text === "true" || token.text === "false") return of(token.text === "true");
        if (token.text === "null") return of(null);
        break;
      default:
        break;
    }
    return this.#fail(`mismatched input '${token.text}' expecting ${EXPECTED_EXPR}`, token.offset);
  }
}
