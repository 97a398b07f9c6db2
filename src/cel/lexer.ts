// Tokens of CEL. Upstream: github.com/google/cel-go/parser/gen/CEL.g4

import type { SourceError } from "./ast.ts";

export type TokenKind = "ident" | "int" | "uint" | "float" | "string" | "bytes" | "symbol" | "keyword" | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points. */
  readonly offset: number;
}

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const NUMBER =
  /(?:0x[0-9a-fA-F]+|[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+)/y;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const SYMBOL = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const ESCAPE = "\\\\(?:[abfnrtv\"'\\\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})";
const RAW = `[rR](?:"""[\\s\\S]*?"""|'''[\\s\\S]*?'''|"[^"\\n\\r]*"|'[^'\\n\\r]*')`;
const LONG = `"""(?:[^\\\\]|${ESCAPE})*?"""|'''(?:[^\\\\]|${ESCAPE})*?'''`;
const SHORT = `"(?:[^"\\\\\\n\\r]|${ESCAPE})*"|'(?:[^'\\\\\\n\\r]|${ESCAPE})*'`;
const STRING = new RegExp(`(?:${RAW}|${LONG}|${SHORT})`, "y");
/** A string without an end: up to the first invalid character. */
const BROKEN = new RegExp(`(?:"(?:[^"\\\\\\n\\r]|${ESCAPE})*|'(?:[^'\\\\\\n\\r]|${ESCAPE})*)(?:\\\\.?)?`, "y");
const KEYWORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

export function tokenize(text: string, errors: SourceError[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let counted = 0;
  let points = 0;
  const offsetOf = (index: number): number => {
    points += Array.from(text.slice(counted, index)).length;
    counted = index;
    return points;
  };
  const take = (pattern: RegExp, from = at): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  };
  const push = (kind: TokenKind, value: string): void => {
    tokens.push({ kind, text: value, offset: offsetOf(at) });
    at += value.length;
  };
  while (at < text.length) {
    const space = take(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const bytes = /[bB]/.test(text[at] as string) ? take(STRING, at + 1) : undefined;
    if (bytes !== undefined) {
      push("bytes", text[at] + bytes);
      continue;
    }
    const string = take(STRING);
    if (string !== undefined) {
      push("string", string);
      continue;
    }
    const ident = take(IDENT);
    if (ident !== undefined) {
      push(KEYWORDS.has(ident) ? "keyword" : "ident", ident);
      continue;
    }
    const number = take(NUMBER);
    if (number !== undefined) {
      const isFloat = !number.startsWith("0x") && /[.eE]/.test(number);
      if (!isFloat && /[uU]/.test(text[at + number.length] ?? "")) push("uint", number + text[at + number.length]);
      else push(isFloat ? "float" : "int", number);
      continue;
    }
    const symbol = take(SYMBOL);
    if (symbol !== undefined) {
      push("symbol", symbol);
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(at) as number);
    // An incomplete operator includes the character after it.
    const next = "=&|".includes(char) ? (text[at + 1] ?? "") : "";
    const rest = take(BROKEN) ?? char + next;
    errors.push({ offset: offsetOf(at), message: `Syntax error: token recognition error at: '${rest}'` });
    at += rest.length;
  }
  tokens.push({ kind: "end", text: "<EOF>", offset: offsetOf(text.length) });
  return tokens;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

/** The content of a quoted literal; bytes if escapes mean bytes. Undefined: an invalid escape. */
export function unquote(literal: string, isBytes: boolean): string | Uint8Array | undefined {
  const isRaw = /^[rR]/.test(literal);
  let body = isRaw ? literal.slice(1) : literal;
  const quotes = /^("""|''')/.test(body) ? 3 : 1;
  body = body.slice(quotes, -quotes).replace(/\r\n?/g, "\n");
  const bytes: number[] = [];
  let output = "";
  const add = (char: string): void => {
    if (isBytes) bytes.push(...new TextEncoder().encode(char));
    else output += char;
  };
  for (let i = 0; i < body.length; ) {
    const char = String.fromCodePoint(body.codePointAt(i) as number);
    i += char.length;
    if (char !== "\\" || isRaw) {
      add(char);
      continue;
    }
    const rest = body.slice(i);
    const coded = /^(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/.exec(rest);
    if (coded === null) {
      const simple = ESCAPES[rest[0] ?? ""];
      if (simple === undefined) return undefined;
      add(simple);
      i++;
      continue;
    }
    i += coded[0].length;
    const isUnicode = coded[2] !== undefined || coded[3] !== undefined;
    if (isUnicode && isBytes) return undefined;
    const code =
      coded[4] === undefined
        ? Number.parseInt(coded[1] ?? coded[2] ?? coded[3] ?? "", 16)
        : Number.parseInt(coded[4], 8);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
    if (isBytes) bytes.push(code);
    else output += String.fromCodePoint(code);
  }
  return isBytes ? new Uint8Array(bytes) : output;
}
