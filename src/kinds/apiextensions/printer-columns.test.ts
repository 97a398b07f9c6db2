// The table cells of custom resources, for each type of column.

import { describe, expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import { parseJsonPath } from "./json-path.ts";
import { customPrinter } from "./printer-columns.ts";

const now = Date.UTC(2026, 0, 1, 0, 5);

const object = {
  metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    n: 3,
    f: 2.5,
    s: "text",
    b: true,
    l: [1, 2, 3],
    o: { z: 1, a: [true] },
    when: "2025-12-31T00:05:00Z",
    "x.y": "dotted",
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
    nil: null,
  },
} as unknown as KubeObject;

describe("printer columns", () => {
  it.each([
    ["string", ".spec.s", "text"],
    ["string", ".spec.n", "3"],
    ["string", ".spec.b", "true"],
    ["string", ".spec.o", '{"a":[true],"z":1}'],
    ["string", ".spec.l", "[1,2,3]"],
    ["string", ".spec.nope", null],
    ["string", ".spec.s.deeper", null],
    ["string", '.spec["x.y"]', "dotted"],
    ["string", ".spec.x\\.y", "dotted"],
    ["string", '.status.conditions[?(@.type=="Ready")].status', "True"],
    ["string", ".status.conditions[?(@.type=='None')].status", null],
    ["string", ".status.conditions[-1].type", "Other"],
    ["string", ".status.conditions[*].type", "Ready"],
    ["integer", ".spec.n", 3],
    ["integer", ".spec.f", 2],
    ["integer", ".spec.s", null],
    ["integer", ".spec.l[1:]", 2],
    ["number", ".spec.f", 2.5],
    ["boolean", ".spec.b", true],
    ["boolean", ".spec.s", null],
    ["date", ".metadata.creationTimestamp", "5m"],
    ["date", ".spec.when", "24h"],
    ["date", ".spec.s", "<invalid>"],
    ["date", ".spec.nope", null],
  ])("machinery/7.2.r8 %s at %s", (type, jsonPath, cell) => {
    const printer = customPrinter([{ name: "C", type, jsonPath }]);
    expect(printer.row(object, now).cells).toEqual(["a", cell]);
  });

  it("machinery/7.2.r8 without columns show the age", () => {
    const printer = customPrinter(undefined);
    expect(printer.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
    expect(printer.row(object, now).cells).toEqual(["a", "5m"]);
  });

  it("machinery/7.2.r8 end before an invalid path", () => {
    const column = (name: string, jsonPath: string): { name: string; type: string; jsonPath: string } => ({
      name,
      type: "string",
      jsonPath,
    });
    const printer = customPrinter([column("A", ".spec.s"), column("B", ".spec["), column("C", ".spec.n")]);
    expect(printer.columns.map(({ name }) => name)).toEqual(["Name", "A"]);
  });

  it("machinery/7.2.r8 paths with two dots descend recursively", () => {
    expect(parseJsonPath("..type")?.(object)).toEqual(["Ready", "Other"]);
  });
});
