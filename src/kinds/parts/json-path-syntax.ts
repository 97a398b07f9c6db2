// Checks the syntax of JSON paths. Upstream: k8s.io/client-go/util/jsonpath/parser.go

/** Go's error for an invalid path; undefined if it is valid. */
export function jsonPathProblem(path: string): string | undefined {
  try {
    readText(`{${path}}`);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathProblem) return error.message;
    throw error;
  }
}

class JsonPathProblem extends Error {
  override readonly name = "JsonPathProblem";
}

/** Reads text with expressions in braces. */
function readText(text: string): void {
  let rest = text;
  for (;;) {
    const brace = rest.indexOf("{");
    if (brace < 0) return;
    rest = readAction(rest.slice(brace + 1));
  }
}

/** Reads an expression. Returns the text from the closing brace on. */
function readAction(text: string): string {
  let rest = text;
  let isDescent = false;
  while (!rest.startsWith("}")) {
    if (rest.startsWith("[?(")) rest = readFilter(rest.slice(3));
    else if (rest.startsWith("..")) {
      if (isDescent) throw new JsonPathProblem("invalid multiple recursive descent");
      isDescent = true;
      rest = rest.slice(2);
      if (/^[\p{L}\p{Nd}_]/u.test(rest)) {
        rest = readField(rest);
        isDescent = false;
      }
      continue;
    } else rest = readStep(rest);
    isDescent = false;
  }
  return rest.slice(1);
}

const TERMINATED = String.raw`[^ \t\r\n.,[\]$@{}]`;
const FIELD = new RegExp(String.raw`^(?:\\.|(?!\\)${TERMINATED})*`, "su");
const IDENTIFIER = new RegExp(`^${TERMINATED}*`, "u");

const readField = (rest: string): string => rest.slice(FIELD.exec(rest)?.[0].length ?? 0);

function readStep(rest: string): string {
  const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (rest === "" || char === "\r" || char === "\n") throw new JsonPathProblem("unclosed action");
  if (char === " " || char === "@" || char === "$") return rest.slice(1);
  if (char === "[") return readArray(rest);
  if (char === '"' || char === "'") return readQuote(rest, char);
  if (char === ".") return readField(rest.slice(1));
  const number = /^[+-]?[\p{Nd}.]*/u.exec(rest)?.[0] ?? "";
  if (/^[+\-\p{Nd}]/u.test(rest)) {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(number)) throw new JsonPathProblem(`cannot parse number ${number}`);
    return rest.slice(number.length);
  }
  if (/^[\p{L}\p{Nd}_]/u.test(rest)) return rest.slice(IDENTIFIER.exec(rest)?.[0].length ?? 0);
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new JsonPathProblem(`unrecognized character in action: U+${code} '${char}'`);
}

function readArray(rest: string): string {
  const end = /^[^\]\n]*\]/u.exec(rest)?.[0].length;
  if (end === undefined) throw new JsonPathProblem("unterminated array");
  const text = rest.slice(1, end - 1);
  const parts = text.split(",");
  const key = /^'([^']*)'$/u.exec(text)?.[1];
  if (parts.length > 1) for (const part of parts) readText(`{[${part.replace(/^ +| +$/g, "")}]}`);
  else if (key !== undefined) readText(`{.${key}}`);
  else if (text !== "*" && !/^(-?\d*)(:-?\d*)?(:-?\d*)?$/.test(text)) {
    throw new JsonPathProblem(`invalid array index ${text}`);
  } else {
    const bad = text.split(":").find((index) => index === "-");
    if (bad !== undefined) throw new JsonPathProblem(`array index ${bad} is not a number`);
  }
  return rest.slice(end);
}

/** The closing parenthesis comes after the closing quote, if there are quotes. */
function readFilter(rest: string): string {
  let quote = "";
  let isOpen = false;
  for (let i = 0; i < rest.length; i++) {
    const char = rest[i] ?? "";
    if (char === "\n") break;
    if (char === '"' || char === "'") {
      if (quote === "") {
        quote = char;
        isOpen = true;
      } else if (char === quote && rest[i - 1] !== "\\") isOpen = false;
    } else if (char === ")" && !isOpen) {
      if (rest[i + 1] !== "]") throw new JsonPathProblem("unclosed array expect ]");
      const text = rest.slice(0, i);
      const [, left, right] = /^([^!<>=]+)[!<>=]+(.+?)$/su.exec(text) ?? [];
      for (const side of left === undefined ? [text] : [left, right ?? ""]) readText(`{${side}}`);
      return rest.slice(i + 2);
    }
  }
  throw new JsonPathProblem("unterminated filter");
}

function readQuote(rest: string, quote: string): string {
  for (let i = 1; i < rest.length && rest[i] !== "\n"; i++) {
    if (rest[i] === quote && rest[i - 1] !== "\\") return rest.slice(i + 1);
  }
  throw new JsonPathProblem("unterminated quoted string");
}
