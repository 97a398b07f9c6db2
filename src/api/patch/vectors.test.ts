// Every patch algorithm, compared with the upstream packages (tools/go/vectors-patch).

import { describe, expect, it } from "vitest";
import { parseApiVersion } from "#api/object.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf } from "#api/schema-table.ts";
import { ApiError } from "#api/status-error.ts";
import vectors from "#test/vectors/patch.json" with { type: "json" };
import { applyJsonPatch } from "./json-patch.ts";
import type { JsonObject } from "./json-value.ts";
import { applyMergePatch, createMergePatch, createThreeWayJsonMergePatch } from "./merge-patch.ts";
import { PatchConflict } from "./patch-errors.ts";
import { createTwoWayMergePatch } from "./strategic-diff.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";
import { createThreeWayMergePatch } from "./three-way.ts";

type Doc = JsonObject;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

function schemaFor(kind: string): Schema {
  const slash = kind.lastIndexOf("/");
  const schema = schemaOf({ ...parseApiVersion(kind.slice(0, slash)), kind: kind.slice(slash + 1) });
  if (schema === undefined) throw new Error(`no schema of ${kind}`);
  return schema;
}

/** The result, or upstream's error text. */
function outcome(run: () => unknown): [unknown, string | null] {
  try {
    return [run(), null];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : error;
    return [null, cause.message];
  }
}

function each(cases: readonly unknown[][], check: (vector: unknown[], index: number) => void): void {
  cases.forEach((vector, index) => {
    try {
      check(deepFreeze(vector), index);
    } catch (error) {
      throw new Error(`case ${index}: ${JSON.stringify(vector)}\n${(error as Error).message}`, { cause: error });
    }
  });
}

type Algorithm =
  | "createMergePatch"
  | "forEach"
  | "jsonPatch"
  | "mergePatch"
  | "strategic"
  | "threeWay"
  | "threeWayJson"
  | "twoWay";
const cases = vectors as Readonly<Record<Algorithm, unknown[][]>>;

describe("patches agree with upstream", () => {
  it("JSON patch", () => {
    each(cases.jsonPatch, ([doc, patch, limit, result, failure]) => {
      const copyBytesMax = (limit as number) || undefined;
      expect(outcome(() => applyJsonPatch(doc as Doc, patch, copyBytesMax))).toEqual([result, failure]);
    });
  });
  it("merge patch", () => {
    each(cases.mergePatch, ([doc, patch, result, failure]) => {
      expect(outcome(() => applyMergePatch(doc as Doc, patch))).toEqual([result, failure]);
    });
  });
  it("creation of merge patches", () => {
    each(cases.createMergePatch, ([before, after, patch]) => {
      expect(createMergePatch(before as Doc, after as Doc)).toEqual(patch as Doc);
    });
  });
  it("three-way merge patch", () => {
    each(cases.threeWayJson, ([original, modified, current, patch, conflicts]) => {
      const create = () => createThreeWayJsonMergePatch(original as Doc, modified as Doc, current as Doc);
      if (conflicts) expect(create).toThrow(PatchConflict);
      else expect(create()).toEqual(patch as Doc);
    });
  });
  it("strategic merge patch", () => {
    each(cases.strategic, ([kind, original, patch, result, failure]) => {
      const schema = schemaFor(kind as string);
      const actual = outcome(() => applyStrategicMergePatch(original as Doc, patch, schema));
      expect(actual).toEqual([result, failure]);
    });
  });
  it("creation of strategic merge patches", () => {
    each(cases.twoWay, ([kind, before, after, patch, applied, failure]) => {
      const schema = schemaFor(kind as string);
      const [actual, error] = outcome(() => createTwoWayMergePatch(before as Doc, after as Doc, schema));
      expect(actual).toEqual(patch);
      if (patch === null) expect(error).toBe(failure as string);
      else expect(outcome(() => applyStrategicMergePatch(before as Doc, patch, schema))).toEqual([applied, failure]);
    });
  });
  it("three-way strategic merge patch", () => {
    each(cases.threeWay, ([kind, original, modified, current, overwrite, patch, failure]) => {
      const input = {
        original: original as Doc,
        modified: modified as Doc,
        current: current as Doc,
        schema: schemaFor(kind as string),
        overwrite: overwrite as boolean,
      };
      const conflicts = typeof failure === "string" && failure.startsWith("patch:\n");
      if (conflicts) expect(() => createThreeWayMergePatch(input)).toThrow(PatchConflict);
      else expect(outcome(() => createThreeWayMergePatch(input))).toEqual([patch, failure]);
    });
  });
});
