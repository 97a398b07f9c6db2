// Expressions after parsing, macros expanded. Every node has a unique id and the position in the text for errors.
// Upstream: github.com/google/cel-go/common/ast

import type { Value } from "./values.ts";

interface Node {
  readonly id: number;
  /** In code points from the start of the text. */
  readonly offset: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** has(operand.field) */
  readonly isTest: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly Expr[];
  /** Indexes of items that are omitted when they have no value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly name: string;
  readonly value: Expr;
  readonly offset: number;
  readonly isOptional: boolean;
}

export interface Fold extends Node {
  readonly kind: "fold";
  readonly range: Expr;
  readonly variable: string;
  /** Set for comprehensions over keys and values; "" otherwise. */
  readonly variable2: string;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Fold;

export interface SourceError {
  readonly offset: number;
  readonly message: string;
}

/** The offset of an error about the text as a whole. */
export const NOWHERE = -1;

/** All errors of a text, each with the line it is in. Upstream: cel-go common/error.go, errors.go */
export function printErrors(text: string, errors: readonly SourceError[]): string {
  if (text === "") return errors.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join("\n");
  const [first] = errors;
  if (first?.offset === NOWHERE) return `ERROR: <input>:-1:0: ${first.message}`;
  const chars = Array.from(text);
  const placed = errors.map(({ offset, message }) => {
    let line = 1;
    let start = 0;
    for (let i = 0; i < offset && i < chars.length; i++) {
      if (chars[i] !== "\n") continue;
      line++;
      start = i + 1;
    }
    return { line, column: offset - start, start, message };
  });
  placed.sort((a, b) => a.line - b.line || a.column - b.column);
  return placed
    .map(({ line, column, start, message }) => {
      const end = chars.indexOf("\n", start);
      const snippet = chars.slice(start, end < 0 ? undefined : end).map((char) => (char === "\t" ? " " : char));
      const isWide = (char: string | undefined): boolean => char !== undefined && char > "\x7f";
      const dots = snippet.slice(0, column).map((char) => (isWide(char) ? "\uff0e" : "."));
      const mark = isWide(snippet[column]) ? "\uff3e" : "^";
      return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${snippet.join("")}\n | ${dots.join("")}${mark}`;
    })
    .join("\n");
}
