// JSON paths of printer columns: fields, indexes, slices, wildcards, descent and filters.
// Upstream: k8s.io/client-go/util/jsonpath
//
// Deviation: ranges, unions over several fields and arithmetic are not supported, because no column can use them.

import { parseExactJson } from "#api/json.ts";
import { isArray, isObject } from "#api/patch/json-value.ts";

type Step = (values: readonly unknown[]) => unknown[];

/** Finds the values at a path such as ".status.conditions[?(@.type=='Ready')].status". */
export type JsonPath = (value: unknown) => unknown[];

/** Undefined if the path cannot be parsed. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const parser = new Parser(text);
  const steps = parser.steps("");
  if (steps === undefined) return undefined;
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]) as unknown[];
}

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const wildcard: Step = (values) =>
  values.flatMap((value) => (isArray(value) ? value : isObject(value) ? Object.values(value) : []));

const descent: Step = (values) =>
  values.flatMap((value): unknown[] =>
    isArray(value) || isObject(value) ? [value, ...descent(Object.values(value))] : [],
  );

function slice(parts: readonly string[]): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!isArray(value)) return [];
      const at = (text: string | undefined, otherwise: number): number => {
        if (text === undefined || text === "") return otherwise;
        const index = Number(text);
        return index < 0 ? index + value.length : index;
      };
      if (parts.length === 1) {
        const index = at(parts[0], 0);
        return index >= 0 && index < value.length ? [value[index]] : [];
      }
      const step = Math.max(1, at(parts[2], 1));
      const end = Math.min(at(parts[1], value.length), value.length);
      return value.slice(at(parts[0], 0), end).filter((_, i) => i % step === 0);
    });
}

type Operand = (item: unknown) => unknown[];

const COMPARE: Readonly<Record<string, (order: number) => boolean>> = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
};

function filter(left: Operand, operator: string, right: Operand): Step {
  return (values) =>
    values.flatMap((value) => {
      const items = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
      return items.filter((item) => {
        const [a, b] = [left(item), right(item)];
        if (operator === "") return a.length > 0;
        if (a.length !== 1 || b.length !== 1 || typeof a[0] !== typeof b[0]) return false;
        const [x, y] = [a[0] as string | number, b[0] as string | number];
        return COMPARE[operator]?.(x < y ? -1 : x > y ? 1 : 0) ?? false;
      });
    });
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  /** All steps up to the end, or up to a character of `stops`. */
  steps(stops: string): Step[] | undefined {
    const steps: Step[] = [];
    while (this.rest !== "" && !stops.includes(this.rest[0] as string)) {
      const step = this.#step();
      if (step === undefined) return undefined;
      steps.push(step);
    }
    return steps;
  }

  #step(): Step | undefined {
    if (this.#take(/^\.\./) !== undefined) return descent;
    if (this.#take(/^\.?\*/) !== undefined) return wildcard;
    const named = this.#take(/^\.?((?:\\.|[^.[\]()\s'"=<>!*\\,|&])+)/);
    if (named !== undefined) return field((named[1] ?? "").replace(/\\(.)/g, "$1"));
    if (this.#take(/^\[\*\]/) !== undefined) return wildcard;
    const quoted = this.#take(/^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/);
    if (quoted !== undefined) return field((quoted[1] ?? quoted[2] ?? "").replace(/\\(.)/g, "$1"));
    const range = this.#take(/^\[(-?\d*(?::-?\d*){0,2})\]/);
    if (range !== undefined) return slice((range[1] ?? "").split(":"));
    if (this.#take(/^\[\?\(/) !== undefined) return this.#filter();
    // A lone dot is the value itself.
    return this.#take(/^\.$/) === undefined ? undefined : (values) => [...values];
  }

  #filter(): Step | undefined {
    const left = this.#operand();
    const operator = this.#take(/^\s*(==|!=|<=|>=|<|>)/)?.[1] ?? "";
    const right = operator === "" ? (): unknown[] => [] : this.#operand();
    if (left === undefined || right === undefined || this.#take(/^\s*\)\]/) === undefined) return undefined;
    return filter(left, operator, right);
  }

  #operand(): Operand | undefined {
    const text = this.#take(/^\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/);
    if (text !== undefined) {
      const value = (text[1] ?? text[2] ?? "").replace(/\\(.)/g, "$1");
      return () => [value];
    }
    const literal = this.#take(/^\s*(-?\d+(?:\.\d+)?|true|false)(?=[\s)=<>!])/)?.[1];
    if (literal !== undefined) return () => [parseExactJson(literal)];
    if (this.#take(/^\s*@/) === undefined) return undefined;
    const steps = this.steps(" )=<>!");
    return steps && ((item) => steps.reduce<readonly unknown[]>((values, step) => step(values), [item]) as unknown[]);
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.rest);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }
}
