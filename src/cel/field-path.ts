// Simple JSON paths such as ".spec.replicas" and ".spec['a.b']" of rules and selectable fields, checked against a
// schema. Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go, ValidFieldPath

import { type JSONSchemaProps, propertyOf, valuesOf } from "./json-schema.ts";

export interface FoundField {
  /** The printed form: "spec.replicas", "spec[key]". */
  readonly text: string;
  readonly names: readonly string[];
  readonly schema: JSONSchemaProps | undefined;
}

const INVALID = "does not refer to a valid field";
const END = "unexpected end of JSON path";

/** The field, or the error in the path. */
export function findField(path: string, root: JSONSchemaProps, allowsBrackets: boolean): FoundField | string {
  const tokens = tokenize(path);
  let schema: JSONSchemaProps | undefined = root;
  let text = "";
  const names: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string;
    if (token !== "[" && token !== ".") return `expected [ or . but got: ${token}`;
    if (token === "[" && !allowsBrackets) return "array notation is not allowed";
    let name = tokens[++i];
    if (name === undefined) return END;
    if (token === "[") {
      if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) {
        return `expected single quoted string but got ${name}`;
      }
      const unquoted = unescapeQuoted(name.slice(1, -1));
      if (unquoted.error !== undefined) return `invalid string literal: ${unquoted.error}`;
      name = unquoted.text;
    }
    if (schema?.properties !== undefined) {
      text += text === "" ? name : `.${name}`;
      schema = propertyOf(schema, name);
      if (schema === undefined) return INVALID;
    } else if (schema?.additionalProperties !== undefined) {
      text += `[${name}]`;
      schema = valuesOf(schema);
    } else return INVALID;
    names.push(name);
    if (token === "[") {
      const close = tokens[++i];
      if (close === undefined) return END;
      if (close !== "]") return `expected ] but got ${close}`;
    }
  }
  return { text, names, schema };
}

function tokenize(path: string): string[] {
  const tokens: string[] = [];
  let rest = path;
  while (rest !== "") {
    const match = /^(?:[.[\]]|'(?:[^'\\]|\\.)*'|'.*$|[^.[\]]+)/s.exec(rest);
    const token = match?.[0] ?? rest;
    tokens.push(token);
    rest = rest.slice(token.length);
  }
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
  "'": "'",
  "\\": "\\",
};

function unescapeQuoted(text: string): { readonly text: string; readonly error?: string } {
  let error: string | undefined;
  const plain = text.replace(/\\./g, (match) => {
    const char = ESCAPES[match[1] ?? ""];
    if (char === undefined) error = `invalid escape char ${match}`;
    return char ?? "";
  });
  return error === undefined ? { text: plain } : { text: plain, error };
}
