// Broken and hostile expressions give an error, never a crash or a hang.

import { describe, expect, it } from "vitest";
import { seededRng } from "#base/seeded-rng.ts";
import file from "#test/vectors/crd-cel.json" with { type: "json" };
import { compileCel, isFailure } from "./compile.ts";
import type { JSONSchemaProps } from "./json-schema.ts";
import { celType, celValue } from "./schema-types.ts";
import type { Type } from "./types.ts";

interface Case {
  readonly schema?: JSONSchemaProps;
  readonly self?: unknown;
  readonly expr: string;
}

const [first, ...cases] = file as unknown as readonly Case[];
const schema = first?.schema as JSONSchemaProps;
const variables = new Map<string, Type>([["self", celType(schema, false, "selfType") as Type]]);
const self = celValue(first?.self, schema);
const texts = cases.map(({ expr }) => expr).filter((expr) => !expr.includes("2000"));
const SIGNS = "()[]{}.,?:!&|+-*/%<>='\"\\0123abc";

/** Compiles and runs the expression; a value or an error is fine. */
function outcome(expr: string): string {
  const program = compileCel(expr, variables);
  if (isFailure(program)) return program.message;
  return program.run((name) => (name === "self" ? self : undefined)).error ?? "";
}

describe("hostile expressions", () => {
  it("machinery/7.2.r8 8,000 mutated expressions end in a value or an error", () => {
    const rng = seededRng("cel");
    const pick = (): string => texts[rng.below(texts.length)] as string;
    const mutate = (expr: string): string => {
      const at = rng.below(expr.length + 1);
      const other = pick();
      switch (rng.below(4)) {
        case 0:
          return expr.slice(0, at) + expr.slice(at + 1 + rng.below(4));
        case 1:
          return expr.slice(0, at) + other.slice(rng.below(other.length + 1)) + expr.slice(at);
        case 2:
          return expr.slice(0, at) + SIGNS[rng.below(SIGNS.length)] + expr.slice(at);
        default:
          return `(${expr}) ${["+", "==", "&&", "in", "<", "? 1 :"][rng.below(6)]} (${other})`;
      }
    };
    for (let i = 0; i < 8_000; i++) {
      let expr = pick();
      for (let n = 0; n <= rng.below(3); n++) expr = mutate(expr);
      expect(typeof outcome(expr)).toBe("string");
    }
  });

  it.each([
    ["names", `{'a': 1}${".b".repeat(251)}`, "max recursion depth exceeded"],
    ["many names", `self${".b".repeat(50_000)}`, "max recursion depth exceeded"],
    ["sums", `1${" + 1".repeat(251)}`, "max recursion depth exceeded"],
    ["macros", `[1]${".map(x, x)".repeat(251)}`, "max recursion depth exceeded"],
    ["brackets", `${"(".repeat(250)}1${")".repeat(250)}`, "expression recursion limit exceeded: 250"],
    ["lists", "[".repeat(50_000), "expression recursion limit exceeded: 250"],
  ])("machinery/7.2.r8 deep %s", (_, expr, message) => {
    expect(outcome(expr)).toBe(`ERROR: <input>:-1:0: ${message}`);
  });

  it.each([
    ["sums", `1${" + 1".repeat(250)}`],
    ["macros", `[1]${".map(x, x)".repeat(250)}`],
    ["brackets", `${"(".repeat(249)}1${")".repeat(249)}`],
    ["negations", `${"!".repeat(50_000)}true`],
  ])("machinery/7.2.r8 %s that are just not too deep", (_, expr) => {
    expect(outcome(expr)).toBe("");
  });

  it("machinery/7.2.r8 long chains are not deep", () => {
    expect(outcome(`true${" && true".repeat(20_000)}`)).toBe("");
  });

  it("machinery/7.2.r8 keys of prototypes are keys like any other", () => {
    const map: JSONSchemaProps = { type: "object", additionalProperties: { type: "string" } };
    const program = compileCel(
      "self.all(k, self[k] == 'v') && '__proto__' in self && !('toString' in self)",
      new Map([["self", celType(map, false, "m") as Type]]),
    );
    if (isFailure(program)) throw new Error(program.message);
    const value = celValue(JSON.parse('{"__proto__": "v", "constructor": "v"}'), map);
    expect(program.run(() => value).value).toBe(true);
  });
});
