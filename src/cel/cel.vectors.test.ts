// Expressions compiled and evaluated like upstream: values, errors, costs and estimates.

import { describe, expect, it } from "vitest";
import file from "#test/vectors/crd-cel.json" with { type: "json" };
import { type Cidr, cidrText, type Ip, ipText } from "./addresses.ts";
import { compileCel, isFailure } from "./compile.ts";
import { doubleText, toText } from "./conversions.ts";
import type { JSONSchemaProps } from "./json-schema.ts";
import { type Bounds, boundsOf } from "./schema-bounds.ts";
import { celType, celValue } from "./schema-types.ts";
import type { Type } from "./types.ts";
import {
  Duration,
  isList,
  isMap,
  itemsOf,
  Opaque,
  Optional,
  type Semver,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "./values.ts";

interface Case {
  readonly schema?: JSONSchemaProps;
  readonly self?: unknown;
  readonly expr: string;
  readonly compile?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  /** For a rule that turns it into a list. */
  readonly estimate?: string;
}

const [first, ...cases] = file as unknown as readonly Case[];
const schema = first?.schema as JSONSchemaProps;
const variables = new Map<string, Type>([["self", celType(schema, false, "selfType") as Type]]);
const bounds = boundsOf(schema, false) as Bounds;

/** Both sides print values in the same way. */
function print(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "number") return `double ${doubleText(value)}`;
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Uint) return `uint ${value.value}`;
  if (value instanceof Uint8Array) {
    return `bytes ${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }
  if (value instanceof Timestamp) return `timestamp ${toText(value)}`;
  if (value instanceof Duration) return `duration ${value.nanos}`;
  if (value instanceof Optional) return value.value === undefined ? "none" : `some ${print(value.value)}`;
  if (value instanceof TypeValue) return `type ${typeNames[value.type.name] ?? value.type.name}`;
  if (value instanceof Opaque) return printOpaque(value);
  if (isList(value)) return `[${[...itemsOf(value)].map(print).join(", ")}]`;
  if (!isMap(value)) return `other ${typeName(value)}`;
  const entries = value.keys().map((key) => `${print(key)}: ${print(value.get(key) as Value)}`);
  return `{${entries.sort().join(", ")}}`;
}

const typeNames: Readonly<Record<string, string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

function printOpaque({ type, value }: Opaque): string {
  switch (type) {
    case "kubernetes.Quantity":
      return `quantity ${value}`;
    case "net.IP":
      return `ip ${ipText(value as Ip)}`;
    case "net.CIDR":
      return `cidr ${cidrText(value as Cidr)}`;
    case "kubernetes.Semver":
      return `semver ${(value as Semver).text}`;
    default:
      return type === "kubernetes.URL" ? "url" : `other ${type}`;
  }
}

describe("CEL against upstream", () => {
  it("machinery/7.2.r8 has at least 250 expressions", () => {
    expect(cases.length).toBeGreaterThanOrEqual(250);
  });

  it.each(cases.map((each) => [each.expr, each] as const))("machinery/7.2.r8 %s", (expr, each) => {
    const program = compileCel(expr, variables);
    if (isFailure(program)) {
      const text = program.phase === "compilation" ? program.message : `program: ${program.message}`;
      expect(text).toBe(each.compile);
      return;
    }
    expect(each.compile).toBeUndefined();
    const outcome = program.run((name) => (name === "self" ? celValue(first?.self, schema) : undefined));
    expect(outcome.error).toBe(each.error);
    expect(outcome.cost).toBe(each.cost ?? 0);
    if (outcome.value !== undefined) {
      expect(print(outcome.value)).toBe(each.value?.startsWith("url ") ? "url" : each.value);
    }
  });

  const estimated = cases.filter(({ estimate }) => estimate !== undefined);

  it.each(estimated.map(({ expr, estimate }) => [expr, estimate]))(
    "machinery/7.2.r8 may cost: %s",
    (expr, estimate) => {
      const program = compileCel(`[${expr}].size() == 1`, variables, bounds);
      expect(isFailure(program) ? program.message : String(program.costMax)).toBe(estimate);
    },
  );
});
