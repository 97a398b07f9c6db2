// Properties that vectors cannot show: invariants for all documents, limits, sharing, and hostile input.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INT64_MAX, INT64_MIN, type Int64 } from "#api/int64.ts";
import { parseExactJson } from "#api/json.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf } from "#api/schema-table.ts";
import { ApiError, isBadRequest, isRequestEntityTooLarge } from "#api/status-error.ts";
import { stringifyJson } from "#base/json.ts";
import { createJsonPatch } from "./create-json-patch.ts";
import { applyJsonPatch, jsonPatchStrictErrors } from "./json-patch.ts";
import type { JsonObject } from "./json-value.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";
import { PreconditionFailed, requireKeyUnchanged, requireMetadataKeyUnchanged } from "./patch-errors.ts";
import { createTwoWayMergePatch } from "./strategic-diff.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";

const podSchema = schemaOf({ group: "", version: "v1", kind: "Pod" }) as Schema;

const key = fc.oneof(fc.constantFrom("a", "b", "c", "x/y", "m~n", "__proto__", "constructor", ""), fc.string());
const int64 = fc.oneof(
  fc.integer(),
  fc.constantFrom<Int64>(INT64_MAX, INT64_MAX - 1n, INT64_MIN, 2n ** 53n, Number.MAX_SAFE_INTEGER),
);
const scalar = fc.oneof(fc.string(), int64, fc.boolean());
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("object"), fc.array(tie("value"), { maxLength: 4 })),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
}));
const object = fc
  .array(fc.tuple(key, value), { maxLength: 5 })
  .map((entries) => parseExactJson(stringifyJson(Object.fromEntries(entries))) as JsonObject);

/** Own keys only, so that "__proto__" counts. */
const canonical = (input: unknown): string =>
  JSON.stringify(input, (_, part) => {
    if (typeof part === "bigint") return { bigint: String(part) };
    return typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.keys(part)
          .sort()
          .map((name) => [name, part[name]])
      : part;
  });

const container = fc.record(
  {
    name: fc.constantFrom("a", "b", "c"),
    image: fc.constantFrom("x", "y"),
    env: fc.uniqueArray(fc.record({ name: fc.constantFrom("A", "B", "C"), value: fc.constantFrom("1", "2") }), {
      selector: (env) => env.name,
    }),
  },
  { requiredKeys: ["name"] },
);
const pod = fc.record({
  metadata: fc.record(
    {
      labels: fc.dictionary(fc.constantFrom("k", "l"), fc.constantFrom("v", "w")),
      finalizers: fc.uniqueArray(fc.constantFrom("f/a", "f/b", "f/c")),
    },
    { requiredKeys: [] },
  ),
  spec: fc.record(
    {
      containers: fc.uniqueArray(container, { selector: (element) => element.name }),
      terminationGracePeriodSeconds: int64,
      securityContext: fc.record({ supplementalGroups: fc.array(int64, { minLength: 1 }) }, { requiredKeys: [] }),
    },
    { requiredKeys: ["containers"] },
  ),
});

/** Upstream compares lists of scalars sorted, so their order does not always follow. */
const sortFinalizers = <T extends { metadata: { finalizers?: string[] } }>(object: T): T => ({
  ...object,
  metadata: object.metadata.finalizers
    ? { ...object.metadata, finalizers: [...object.metadata.finalizers].sort() }
    : object.metadata,
});

describe("laws", () => {
  it("a JSON patch leads from one document to the other", () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        expect(canonical(applyJsonPatch(a, createJsonPatch(a, b)))).toBe(canonical(b));
      }),
    );
  });
  it("a merge patch leads from one document to the other, and again changes nothing", () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const patch = createMergePatch(a, b);
        const merged = applyMergePatch(a, patch) as JsonObject;
        expect(canonical(merged)).toBe(canonical(b));
        expect(applyMergePatch(merged, createMergePatch(merged, b))).toBe(merged);
        expect(canonical(applyMergePatch(merged, patch))).toBe(canonical(b));
      }),
    );
  });
  it("a strategic patch leads from one pod to the other, and again changes nothing", () => {
    fc.assert(
      fc.property(pod, pod, (a, b) => {
        const patch = createTwoWayMergePatch(a, b, podSchema);
        // Upstream cannot order a list that it empties; see "no elements in any of the given slices".
        fc.pre(b.spec.containers.length > 0 && (b.metadata.finalizers?.length ?? 1) > 0);
        const merged = applyStrategicMergePatch(a, patch, podSchema) as typeof b;
        expect(sortFinalizers(merged)).toEqual(sortFinalizers(b));
        expect(applyStrategicMergePatch(merged, patch, podSchema)).toEqual(merged);
      }),
    );
  });
});

describe("sharing", () => {
  it("keeps what a patch does not touch", () => {
    const original = { metadata: { name: "p" }, spec: { containers: [{ name: "a" }, { name: "b" }] } };
    const merged = applyMergePatch(original, { metadata: { labels: { k: "v" } } }) as typeof original;
    expect(merged.spec).toBe(original.spec);
    const patched = applyJsonPatch(original, [{ op: "add", path: "/spec/containers/0/image", value: "x" }]);
    expect((patched as typeof original).spec.containers[1]).toBe(original.spec.containers[1] as { name: string });
    const strategic = applyStrategicMergePatch(
      original,
      { spec: { containers: [{ name: "a", image: "x" }] } },
      podSchema,
    );
    expect((strategic as typeof original).spec.containers[1]).toBe(original.spec.containers[1] as { name: string });
  });
  it("returns the document itself when nothing changes", () => {
    const original = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "x" }] } };
    expect(applyMergePatch(original, { metadata: { name: "p", labels: null } })).toBe(original);
    const patch = { spec: { containers: [{ name: "a", image: "x" }] } };
    expect(applyStrategicMergePatch(original, patch, podSchema)).toBe(original);
  });
});

describe("limits", () => {
  it("refuses more than 10,000 operations", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: 1 }));
    expect(() => applyJsonPatch({ a: 1 }, operations)).toThrow(
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
    try {
      applyJsonPatch({ a: 1 }, operations);
    } catch (error) {
      expect(isRequestEntityTooLarge(error)).toBe(true);
    }
    expect(applyJsonPatch({ a: 1 }, operations.slice(1))).toEqual({ a: 1 });
  });
  it("refuses copies beyond three megabytes", () => {
    const copies = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/a", path: `/b${i}` }));
    try {
      applyJsonPatch({ a: "x".repeat(100_000) }, copies);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).status).toMatchObject({
        code: 422,
        reason: "Invalid",
        message: "the server rejected our request due to an error in our request",
      });
      expect(((error as ApiError).cause as Error).message).toContain("exceeding the limit 3145728");
    }
  });
  it("names unknown members of operations for strict validation", () => {
    expect(jsonPatchStrictErrors([{ op: "add", path: "/a", vaule: 1 }, null])).toEqual([
      'json patch unknown field "[0].vaule"',
    ]);
  });
});

describe("preconditions", () => {
  it("fail when the patch touches what they protect", () => {
    const create = (a: JsonObject, b: JsonObject) =>
      createTwoWayMergePatch(a, b, podSchema, [requireKeyUnchanged("kind"), requireMetadataKeyUnchanged("name")]);
    expect(create({ kind: "Pod" }, { kind: "Pod", spec: {} })).toEqual({ spec: {} });
    expect(() => create({ metadata: { name: "a" } }, { metadata: { name: "b" } })).toThrow(PreconditionFailed);
    expect(() => create({ kind: "Pod" }, { kind: "Job" })).toThrow("precondition failed for: map[kind:Job]");
  });
});

describe("hostile input", () => {
  const nested = (depth: number): JsonObject => {
    let inner: JsonObject = { leaf: 1 };
    for (let i = 0; i < depth; i++) inner = { a: inner };
    return inner;
  };
  it("nesting beyond the stack is a bad request", () => {
    const deep = nested(1_000_000);
    for (const run of [
      () => applyMergePatch(deep, deep),
      () => applyMergePatch({}, deep),
      () => applyStrategicMergePatch({}, { spec: deep }, podSchema),
      () => applyJsonPatch({ deep }, [{ op: "copy", from: "/deep", path: "/copy" }], Number.MAX_SAFE_INTEGER),
      () => createMergePatch(deep, nested(1_000_000)),
    ]) {
      try {
        run();
        expect.unreachable();
      } catch (error) {
        expect(isBadRequest(error)).toBe(true);
      }
    }
  });
  it("prototype keys stay keys", () => {
    const evil = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const results = [
      applyMergePatch({}, evil),
      applyMergePatch(evil, { a: 1 }),
      applyStrategicMergePatch({}, evil, podSchema),
      applyStrategicMergePatch(evil, { metadata: evil }, podSchema),
      createMergePatch({}, evil),
      createTwoWayMergePatch({}, evil, podSchema),
      applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]),
      applyJsonPatch(evil, [{ op: "replace", path: "/__proto__/polluted", value: 1 }]),
    ];
    for (const result of results) {
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      expect((result as { polluted?: unknown }).polluted).toBeUndefined();
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(() => applyJsonPatch({}, [{ op: "add", path: "/__proto__/polluted", value: 1 }])).toThrow(ApiError);
  });
  it("large lists merge in time that grows with their length", () => {
    const names = Array.from({ length: 50_000 }, (_, i) => ({ name: `n${i}` }));
    const patch = { spec: { containers: names, "$setElementOrder/containers": [...names].reverse() } };
    expect(() => applyStrategicMergePatch({ spec: { containers: names } }, patch, podSchema)).toThrow(ApiError);
    const reversed = { spec: { containers: [...names].reverse() } };
    const merged = applyStrategicMergePatch({ spec: { containers: names } }, reversed, podSchema) as typeof patch;
    expect(merged.spec.containers).toHaveLength(names.length);
    const finalizers = names.map((element) => element.name);
    const grown = applyStrategicMergePatch({ metadata: { finalizers } }, { metadata: { finalizers } }, podSchema);
    expect((grown.metadata as { finalizers: string[] }).finalizers).toHaveLength(names.length);
  });
  it("refuses bodies of the wrong shape", () => {
    expect(() => applyJsonPatch({}, { op: "add" })).toThrow(
      "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
    );
    expect(() => applyJsonPatch({}, ["add"])).toThrow(
      "json: cannot unmarshal string into Go value of type jsonpatch.Operation",
    );
    expect(() => applyStrategicMergePatch({}, [1], podSchema)).toThrow(
      "json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    expect(() => applyMergePatch({}, 3)).toThrow("Invalid JSON Patch");
  });
});
