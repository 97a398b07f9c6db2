// Path elements in the form of FieldsV1: f:<field>, k:<JSON of the keys of a list element>, v:<JSON of a set element>,
// i:<index>. The form is canonical, so equal elements are equal strings.
// Upstream: sigs.k8s.io/structured-merge-diff fieldpath/element.go, serialize-pe.go, value/value.go

import { goJson, goQuote } from "#api/go-text.ts";
import { parseExactJson } from "#api/json.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { isArray, isObject } from "#api/patch/json-value.ts";

const PLAIN = /^[a-zA-Z0-9 _./:=,;@#$%*()+-]*$/;

/** The canonical JSON of a value inside a path element: sorted keys, Go's escapes. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return PLAIN.test(value) ? `"${value}"` : goJson(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isObject(value)) {
    const fields = Object.keys(value).sort();
    return `{${fields.map((name) => `${goJson(name)}:${canonicalJson(value[name])}`).join(",")}}`;
  }
  return goJson(value);
}

/** Canonicalizes a client's path element; undefined for an unknown kind, which upstream ignores. */
export function canonicalPathKey(key: string): string | undefined {
  if (key.length < 2) throw new Error("key must be 2 characters long:");
  if (key[1] !== ":") throw new Error(`missing colon: ${key}`);
  const content = key.slice(2);
  switch (key[0]) {
    case "f":
      return key;
    case "v":
      return `v:${canonicalJson(parseJson(content))}`;
    case "k": {
      const keys = parseJson(content);
      if (!isObject(keys)) throw new Error(`not an object: ${content}`);
      return `k:${canonicalJson(keys)}`;
    }
    case "i": {
      if (!/^[+-]?\d+$/.test(content)) throw new Error(`strconv.Atoi: parsing ${goQuote(content)}: invalid syntax`);
      return `i:${Number(content)}`;
    }
    default:
      return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new Error(`invalid JSON in path element: ${text}`, { cause: error });
  }
}

/** A path in error texts: .spec.containers[name="a"].image */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

export function elementText(key: string): string {
  const content = key.slice(2);
  switch (key[0]) {
    case "f":
      return `.${content}`;
    case "k": {
      const keys = parseExactJson(content) as Record<string, unknown>;
      return `[${Object.keys(keys)
        .map((name) => `${name}=${valueText(keys[name])}`)
        .join(",")}]`;
    }
    case "v":
      return `[=${valueText(parseExactJson(content))}]`;
    default:
      return `[${content}]`;
  }
}

function valueText(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return goQuote(value);
  if (isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (isObject(value))
    return Object.keys(value)
      .map((name) => `${name}=${valueText(value[name])}`)
      .join("");
  return goFormat(value);
}

const KIND_ORDER = ".fkvi";

/** Fields before keys before values before indices; "." first of all. */
export function comparePathKeys(a: string, b: string): number {
  if (a[0] === b[0]) {
    if (a === b) return 0;
    if (a[0] === "f") return a < b ? -1 : 1;
    return compareContent(a, b);
  }
  return KIND_ORDER.indexOf(a[0] as string) - KIND_ORDER.indexOf(b[0] as string);
}

function compareContent(a: string, b: string): number {
  if (a[0] === "i") return Number(a.slice(2)) - Number(b.slice(2));
  const left: unknown = parseExactJson(a.slice(2));
  const right: unknown = parseExactJson(b.slice(2));
  if (a[0] === "v") return compareValues(left, right);
  return compareLists(Object.entries(left as object).flat(), Object.entries(right as object).flat());
}

const rank = (value: unknown): number => {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isArray(value)) return 3;
  return value === null ? 5 : 4;
};

function compareValues(a: unknown, b: unknown): number {
  const ranks = rank(a) - rank(b);
  if (ranks !== 0) return ranks;
  if (isArray(a)) return compareLists(a, b as readonly unknown[]);
  if (isObject(a)) {
    const [left, right] = [a, b as object].map((object) => Object.entries(object).sort().flat());
    return compareLists(left as unknown[], right as unknown[]);
  }
  const [x, y] = [a as string, b as string];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
