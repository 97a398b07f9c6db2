// Parses the text form of label selectors: "x in (foo,,baz),y,z notin (),a!=b". Tokens first, then a recursive descent
// with upstream's errors.
// Upstream: k8s.io/apimachinery/pkg/labels/selector.go, Parse

import { ValueError } from "#api/errors.ts";
import { errorText, type FieldPath } from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import {
  BINARY_OPERATORS,
  everything,
  newRequirement,
  type Requirement,
  Selector,
  type SelectorOperator,
  sortByKey,
  validateKey,
} from "#api/label-selector.ts";
import type { LabelSelector, LabelSelectorRequirement } from "#api/meta.ts";

type TokenKind = "identifier" | "end" | ")" | "," | "!" | "==" | "=" | ">" | "in" | "<" | "!=" | "notin" | "(";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

// A NUL ends the text at the start of a token, and ends the identifier before it: upstream's lexer takes the zero byte
// for the end of input.
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])\0?|([^=!(),<> \t\r\n\0]+)\0?)/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word = ""] = match;
    if (symbol !== undefined) tokens.push({ kind: symbol as TokenKind, text: symbol });
    else tokens.push({ kind: word === "in" || word === "notin" ? word : "identifier", text: word });
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

const OPERATORS: Readonly<Partial<Record<TokenKind, SelectorOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

class Parser {
  readonly #tokens: readonly Token[];
  readonly #path: FieldPath | undefined;
  #position = 0;

  constructor(text: string, path: FieldPath | undefined) {
    this.#tokens = tokenize(text);
    this.#path = path;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const next = this.#peek();
      if (next.kind === "end") return requirements;
      if (next.kind !== "identifier" && next.kind !== "!") {
        throw fail(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.kind === "end") return requirements;
      if (after.kind !== ",") throw fail(`found '${after.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== "identifier" && following.kind !== "!") {
        throw fail(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    try {
      const isNegated = this.#peek().kind === "!";
      if (isNegated) this.#take();
      const key = this.#take();
      if (key.kind !== "identifier") throw fail(`found '${key.text}', expected: identifier`);
      const [keyError] = validateKey(key.text, this.#path);
      if (keyError !== undefined) throw fail(errorText(keyError));
      const next = this.#peek().kind;
      if (isNegated) return newRequirement(key.text, "!", [], this.#path);
      if (next === "end" || next === ",") return newRequirement(key.text, "exists", [], this.#path);
      const operator = this.#operator();
      const values = operator === "in" || operator === "notin" ? this.#valueSet() : this.#exactValue();
      return newRequirement(key.text, operator, values, this.#path);
    } catch (error) {
      if (error instanceof ValueError) throw fail(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #operator(): SelectorOperator {
    const token = this.#tokens[this.#position++] ?? END;
    const operator = OPERATORS[token.kind];
    if (operator === undefined) throw fail(`found '${token.text}', expected: ${BINARY_OPERATORS.join(", ")}`);
    return operator;
  }

  /** Sorted and without duplicates, like upstream's set. */
  #valueSet(): string[] {
    const open = this.#take();
    if (open.kind !== "(") throw fail(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ")") {
      this.#take();
      return [""];
    }
    if (first.kind !== "identifier" && first.kind !== ",") {
      throw fail(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    if (this.#take().kind !== ")") throw fail(`found '${first.text}', expected: ')'`);
    return [...values].sort();
  }

  #identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.kind === "identifier") {
        values.add(token.text);
        if (next.kind === ")") return values;
        if (next.kind !== ",") throw fail(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ",") {
        if (values.size === 0 || next.kind === ")" || next.kind === ",") values.add("");
        if (next.kind === ")") return values;
      } else {
        throw fail(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #exactValue(): string[] {
    const next = this.#peek().kind;
    if (next === "end" || next === ",") return [""];
    const token = this.#take();
    if (token.kind !== "identifier") throw fail(`found '${token.text}', expected: identifier`);
    return [token.text];
  }

  // "in" and "notin" are ordinary words unless an operator is expected.
  #peek(): Token {
    const token = this.#tokens[this.#position] ?? END;
    return token.kind === "in" || token.kind === "notin" ? { kind: "identifier", text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

const END: Token = { kind: "end", text: "" };

function fail(message: string): ValueError {
  return new ValueError("labelSelector", message);
}

/** Throws a ValueError. The empty text selects everything. */
export function parseLabelSelector(text: string, path?: FieldPath): Selector {
  const requirements = new Parser(text, path).parse();
  return requirements.length === 0 ? everything : new Selector(sortByKey(requirements));
}

/** The object form of a selector's text. Upstream: pkg/apis/meta/v1/helpers.go, ParseToLabelSelector */
export function parseToLabelSelector(text: string): LabelSelector {
  let selector: Selector;
  try {
    selector = parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw fail(`couldn't parse the selector string "${text}": ${error.message}`);
  }
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of selector.requirements) {
    if (operator === "=" || operator === "==") matchLabels[key] = values[0] ?? "";
    else matchExpressions.push({ key, operator: objectOperator(operator), values });
  }
  return { matchLabels, matchExpressions };
}

function objectOperator(operator: Exclude<SelectorOperator, "=" | "==">): string {
  switch (operator) {
    case "in":
      return "In";
    case "notin":
      return "NotIn";
    case "exists":
      return "Exists";
    case "!":
      return "DoesNotExist";
    case "gt":
    case "lt":
      throw fail(`${goQuote(operator)} isn't supported in label selectors`);
    case "!=":
      throw fail(`${goQuote(operator)} is not a valid label selector operator`);
  }
}
