import { expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { type ObjectOf, resourceHandle } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { stripManagedFields } from "#informers/transforms.ts";
import { strategicPatch } from "./strategic-patch.ts";

const node = (annotations: Record<string, string>, keys: readonly string[]): ObjectOf<typeof Nodes> =>
  stored(Nodes, {
    metadata: { name: "n", annotations },
    status: { conditions: keys.map((type) => ({ type, status: "True" })) },
  });

it("tells what was added, changed and removed, lists by their keys", () => {
  const before = node({ a: "1", b: "2" }, ["Ready", "DiskPressure"]);
  const after = node({ b: "3", c: "4" }, ["Ready", "PIDPressure"]);
  expect(strategicPatch(before, after, Nodes)).toEqual({
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
  const plain = node({ a: "1" }, []);
  const cached = stripManagedFields({ ...plain, metadata: { ...plain.metadata, managedFields: [{}] } });
  expect(Object.keys(cached.metadata)).toContain("managedFields");
  expect(strategicPatch(cached, plain, Nodes)).toBeUndefined();
  expect(strategicPatch(plain, cached, Nodes)).toBeUndefined();
});

it("is nothing where nothing has changed, and needs a schema", () => {
  expect(strategicPatch(node({}, []), node({}, []), Nodes)).toBeUndefined();
  const gvr = { group: "example.com", version: "v1", resource: "things" };
  const things = resourceHandle({ ...gvr, kind: "Thing", scope: "Cluster" });
  expect(() => strategicPatch(node({}, []), node({}, []), things)).toThrow("no schema of example.com/v1 Thing");
});
