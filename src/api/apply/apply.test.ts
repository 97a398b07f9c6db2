// Invariants of ownership, cheap paths that other code relies on, and hostile input.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INT64_MAX, INT64_MIN, type Int64 } from "#api/int64.ts";
import { parseExactJson } from "#api/json.ts";
import type { ManagedFieldsEntry } from "#api/meta.ts";
import { isArray, isObject, type JsonObject } from "#api/patch/json-value.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf } from "#api/schema-table.ts";
import { ApiError, isBadRequest, isConflict } from "#api/status-error.ts";
import { stringifyJson } from "#base/json.ts";
import { type ApplyKind, applyKind } from "./apply-kind.ts";
import { withObjectMeta } from "./atoms.ts";
import { compare } from "./compare.ts";
import { applyPatch, updateManagedFields } from "./field-manager.ts";
import { difference, setOf, union } from "./field-set.ts";
import { withoutIdleTimestamps } from "./idle-timestamps.ts";
import { managerOrUserAgent } from "./manager-name.ts";
import { fromScaleFields, toScaleFields } from "./scale-fields.ts";
import { stripSet } from "./strip-set.ts";

type Stored = JsonObject & { readonly metadata: { readonly managedFields?: readonly ManagedFieldsEntry[] } };

const text: Schema = { type: "string" };
const widget = applyKind({
  gvk: { group: "example.com", version: "v1", kind: "Widget" },
  schema: withObjectMeta({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          name: text,
          loose: { type: "object", properties: { a: text, b: { type: "object", properties: { c: text } } } },
          tight: { type: "object", mapType: "atomic", properties: { a: text, b: text } },
          labels: { type: "object", additionalProperties: text },
          tags: { type: "array", listType: "set", items: text },
          counts: { type: "array", listType: "set", items: { type: "integer", format: "int64" } },
          args: { type: "array", items: text },
          doors: {
            type: "array",
            listType: "map",
            listMapKeys: ["name"],
            items: { type: "object", properties: { name: text, color: text, size: { type: "integer" } } },
          },
        },
      },
    },
  }),
});
const deployments = kindOf("apps", "Deployment");

function kindOf(group: string, kind: string): ApplyKind {
  const gvk = { group, version: "v1", kind };
  return applyKind({ gvk, schema: schemaOf(gvk) as Schema });
}

const word = fc.constantFrom("x", "y", "z");
const number = fc.constantFrom<Int64>(1, INT64_MAX, INT64_MAX - 1n, INT64_MIN);
const words = fc.uniqueArray(word, { minLength: 1 });
const spec = fc.record(
  {
    name: word,
    loose: fc.record({ a: word, b: fc.record({ c: word }, { requiredKeys: [] }) }, { requiredKeys: [] }),
    tight: fc.record({ a: word, b: word }, { requiredKeys: [] }),
    labels: fc.dictionary(fc.constantFrom("k", "l", "m", "__proto__"), word),
    tags: words,
    counts: fc.uniqueArray(number, { minLength: 1 }),
    args: words,
    doors: fc.uniqueArray(fc.record({ name: word, color: word, size: number }, { requiredKeys: ["name"] }), {
      selector: (door) => door.name,
      minLength: 1,
    }),
  },
  { requiredKeys: [] },
);
const config = spec.map(
  (stated): JsonObject => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "it" },
    spec: parseExactJson(stringifyJson(stated)),
  }),
);
const nothing: JsonObject = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "it" } };

const apply = (live: JsonObject | undefined, patch: unknown, manager: string, force = false, kind = widget): Stored =>
  applyPatch(kind, { live, patch, manager, force, now: "2026-01-02T03:04:05Z" }) as Stored;
const ownership = (object: Stored) =>
  object.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));

/**
 * Sorts lists with owners per element, and drops empty values: as upstream, a map that another manager filled and
 * emptied again is null.
 */
function plain(value: unknown): unknown {
  if (isArray(value)) return value.map(plain).sort((a, b) => (stringifyJson(a) < stringifyJson(b) ? -1 : 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, child]) => [name, plain(child)] as const);
  const isHollow = (child: unknown) => child === null || (isObject(child) && Object.keys(child).length === 0);
  return Object.fromEntries(entries.filter(([name, child]) => !isHollow(child) && name !== "managedFields"));
}

describe("laws of ownership", () => {
  it("an applier that gives everything up leaves the object and its owners as they were", () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const before = apply(undefined, first, "first");
        let during: Stored;
        try {
          during = apply(before, second, "second");
        } catch (error) {
          expect(isConflict(error)).toBe(true);
          return;
        }
        const after = apply(during, nothing, "second");
        expect(plain(after)).toEqual(plain(before));
        expect(ownership(after)).toEqual(ownership(before));
      }),
      { numRuns: 400 },
    );
  });
  it("applying the same again changes nothing, not even in memory", () => {
    fc.assert(
      fc.property(config, (stated) => {
        const once = apply(undefined, stated, "first");
        const twice = apply(once, stated, "first");
        expect(twice).toBe(once);
        const other = apply(once, stated, "second");
        expect(other.spec).toBe(once.spec);
        expect(apply(other, stated, "second")).toBe(other);
      }),
    );
  });
  it("force takes what a conflict names, and only that", () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const before = apply(undefined, first, "first");
        const after = apply(before, second, "second", true);
        const mine = after.metadata.managedFields?.find((entry) => entry.manager === "second");
        const again = apply(after, second, "second");
        expect(again).toBe(after);
        expect(mine?.fieldsV1 ?? {}).toEqual(apply(undefined, second, "x").metadata.managedFields?.[0]?.fieldsV1 ?? {});
      }),
    );
  });
  it("creates of one shape share the set that comparing would give", () => {
    fc.assert(
      fc.property(config, (object) => {
        const { modified, added } = compare(widget.atom, widget.zero, object);
        const [first, ...rest] = Array.from({ length: 3 }, () => widget.shapes.ownedByCreate(structuredClone(object)));
        expect(first).toEqual(difference(union(modified, added), stripSet));
        for (const set of rest) expect(set).toBe(first as JsonObject as typeof set);
      }),
    );
  });
});

const update = (
  kind: ApplyKind,
  live: JsonObject | undefined,
  updated: JsonObject,
  manager = "m",
  now = "2026-01-01T00:00:00Z",
) => updateManagedFields(kind, { live, updated, manager, now }).object as Stored;
const stored = (object: JsonObject): Stored =>
  ({ ...object, metadata: { ...(object.metadata as JsonObject), uid: "u" } }) as Stored;

describe("cheapness", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 1, paused: false },
  };
  it("an update that changes nothing keeps the entries", () => {
    const live = stored(update(deployments, undefined, deployment));
    const sent = JSON.parse(JSON.stringify({ ...live, metadata: { name: "web", uid: "u" } }));
    expect(update(deployments, live, sent, "other").metadata.managedFields).toBe(live.metadata.managedFields as []);
  });
  it("an update of owned fields within a second keeps the entry, later only its time changes", () => {
    const live = stored(update(deployments, undefined, deployment));
    const [entry] = live.metadata.managedFields ?? [];
    const scaled = { ...live, spec: { ...deployment.spec, replicas: 2 } };
    expect(update(deployments, live, scaled).metadata.managedFields?.[0]).toBe(entry as ManagedFieldsEntry);
    const [later] = update(deployments, live, scaled, "m", "2026-01-01T00:00:09Z").metadata.managedFields ?? [];
    expect(later?.time).toBe("2026-01-01T00:00:09Z");
    expect(later?.fieldsV1).toBe(entry?.fieldsV1 as JsonObject);
  });
  it("times alone are no change", () => {
    const live = stored(update(deployments, undefined, deployment));
    const touched = {
      ...live.metadata,
      managedFields: live.metadata.managedFields?.map((e) => ({ ...e, time: "2027-01-01T00:00:00Z" })),
    };
    expect(withoutIdleTimestamps(live, { ...live, metadata: touched })).toEqual(live);
    const changed = { ...live, spec: {}, metadata: touched };
    expect(withoutIdleTimestamps(live, changed)).toBe(changed);
  });
});

describe("managers", () => {
  it("are named by the request or by the program that sends it", () => {
    expect(managerOrUserAgent("mine", "kubectl/v1.36.4")).toBe("mine");
    expect(managerOrUserAgent("", "kube-controller-manager/v1.36.4 (linux/amd64)")).toBe("kube-controller-manager");
    expect(managerOrUserAgent(undefined, "a\u0007b\n/1")).toBe("ab");
    expect(managerOrUserAgent(undefined, "ü".repeat(100))).toBe("ü".repeat(64));
    expect(managerOrUserAgent(undefined, undefined)).toBe("");
  });
  it("without a name are unknown", () => {
    const object = update(
      deployments,
      undefined,
      { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 1 } },
      "",
    );
    expect(object.metadata.managedFields?.[0]?.manager).toBe("unknown");
  });
  it("keep their share of the replica count through scale", () => {
    const paths = { "apps/v1": ["f:spec", "f:replicas"] };
    const entry = (manager: string, fieldsV1: object, more: object = {}): ManagedFieldsEntry => ({
      manager,
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: fieldsV1 as JsonObject,
      ...more,
    });
    const replicas = setOf(["f:spec", "f:replicas"]);
    const parent = [
      entry("a", setOf(["f:spec", "f:replicas"], ["f:spec", "f:paused"])),
      entry("b", setOf(["f:metadata", "f:labels"])),
    ];
    const scale = toScaleFields(parent, paths);
    expect(scale).toEqual([entry("a", replicas, { apiVersion: "autoscaling/v1" })]);
    expect(fromScaleFields(parent, scale, paths, "apps/v1")).toEqual(parent);
    const stolen = [entry("hpa", replicas, { apiVersion: "autoscaling/v1", subresource: "scale" })];
    expect(fromScaleFields(parent, stolen, paths, "apps/v1")).toEqual([
      entry("a", setOf(["f:spec", "f:paused"])),
      entry("b", setOf(["f:metadata", "f:labels"])),
      entry("hpa", replicas, { subresource: "scale" }),
    ]);
  });
});

describe("hostile input", () => {
  it("prototype keys stay keys", () => {
    const patch = JSON.parse(
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"it"},"spec":{"labels":{"__proto__":"x","constructor":"y"}}}',
    );
    const object = apply(undefined, patch, "m");
    expect(Object.keys((object.spec as { labels: object }).labels)).toEqual(["__proto__", "constructor"]);
    const again = apply(apply(object, nothing, "other"), patch, "m");
    expect(again.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      "f:spec": { "f:labels": { "f:__proto__": {}, "f:constructor": {} } },
    });
    const evil = JSON.parse('{"__proto__":{"f:a":{}},"f:spec":{"__proto__":{"polluted":{}}}}');
    const entry = {
      manager: "x",
      operation: "Update",
      apiVersion: "example.com/v1",
      fieldsType: "FieldsV1",
      fieldsV1: evil,
    };
    const live = { ...object, metadata: { ...object.metadata, uid: "u" } };
    const result = update(widget, live, { ...live, metadata: { ...live.metadata, managedFields: [entry] } });
    expect(result.metadata.managedFields).toEqual(object.metadata.managedFields as []);
    expect(() => apply({ ...live, metadata: { managedFields: [entry] } }, patch, "m")).toThrow(ApiError);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it("nesting beyond the stack is a bad request, or untracked", () => {
    let deep: unknown = "leaf";
    for (let i = 0; i < 1_000_000; i++) deep = { a: deep };
    const free = applyKind({ gvk: widget.gvk, schema: { type: "object", preserveUnknownFields: true } });
    try {
      apply(undefined, { ...nothing, deep }, "m", false, free);
      expect.unreachable();
    } catch (error) {
      expect(isBadRequest(error)).toBe(true);
    }
    const result = updateManagedFields(free, { live: undefined, updated: { ...nothing, deep }, manager: "m", now: "" });
    expect(result.error).toBeInstanceOf(ApiError);
    expect((result.object as Stored).metadata.managedFields).toBeUndefined();
  });
  it("large lists take time that grows with their length", () => {
    const doors = Array.from({ length: 20_000 }, (_, i) => ({ name: `door-${i}`, color: "red" }));
    const first = apply(undefined, { ...nothing, spec: { doors } }, "m");
    const second = apply(first, { ...nothing, spec: { doors: [...doors].reverse() } }, "m");
    expect((second.spec as { doors: unknown[] }).doors).toHaveLength(doors.length);
  });
  it("bodies that are no objects are refused", () => {
    for (const patch of [null, [], "text", 3]) expect(() => apply(undefined, patch, "m")).toThrow(ApiError);
  });
});
