import { expect, it } from "vitest";
import type { Node } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { stripManagedFields } from "#informers/transforms.ts";
import { strategicPatch } from "./strategic-patch.ts";

const kind = { apiVersion: "v1", kind: "Node" };
const node = (annotations: Record<string, string>, keys: readonly string[]): Node => ({
  metadata: { name: "n", annotations },
  status: { conditions: keys.map((type) => ({ type, status: "True" })) },
});

it("tells what was added, changed and removed, lists by their keys", () => {
  const before = node({ a: "1", b: "2" }, ["Ready", "DiskPressure"]);
  const after = node({ b: "3", c: "4" }, ["Ready", "PIDPressure"]);
  expect(strategicPatch(before, after, kind)).toEqual({
    metadata: { annotations: { a: null, b: "3", c: "4" } },
    status: {
      "$setElementOrder/conditions": [{ type: "Ready" }, { type: "PIDPressure" }],
      conditions: [
        { type: "PIDPressure", status: "True" },
        { $patch: "delete", type: "DiskPressure" },
      ],
    },
  });
});

it("takes a field that is undefined for one that is not there", () => {
  const plain = { metadata: { name: "n", labels: { a: "1" } } };
  const cached = stripManagedFields<KubeObject>({ metadata: { ...plain.metadata, managedFields: [{}] } });
  expect(Object.keys(cached.metadata ?? {})).toContain("managedFields");
  expect(strategicPatch<KubeObject>(cached, plain, kind)).toBeUndefined();
  expect(strategicPatch<KubeObject>(plain, cached, kind)).toBeUndefined();
});

it("is nothing where nothing has changed, and needs a schema", () => {
  expect(strategicPatch(node({}, []), node({}, []), kind)).toBeUndefined();
  expect(() => strategicPatch({}, {}, { apiVersion: "example.com/v1", kind: "Thing" })).toThrow(
    "no schema of example.com/v1 Thing",
  );
});
