import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { resourceText } from "#api/object.ts";
import type { ApiResource } from "#client/discovery.ts";
import { deletableResources } from "./resources.ts";
import { Unsupported } from "./unsupported.ts";

const resource = (name: string, ...verbs: readonly string[]): ApiResource => ({
  name,
  singularName: "",
  namespaced: true,
  kind: "Kind",
  verbs,
});

describe("the resources of a namespace", () => {
  it("namespace/5 are those that can be deleted, each once", () => {
    const lists = [
      { groupVersion: "v1", resources: [resource("pods", "delete"), resource("bindings", "create")] },
      { groupVersion: "v1", resources: [resource("pods", "delete")] },
      { groupVersion: "apps/v1", resources: [resource("replicasets", "delete", "list")] },
    ];
    expect(deletableResources(lists).map(resourceText)).toEqual([
      "/v1, Resource=pods",
      "apps/v1, Resource=replicasets",
    ]);
  });

  it("namespace/5 are empty when a group version is invalid, unless it has no deletable resource", () => {
    const lists = (verb: string) => [
      { groupVersion: "v1", resources: [resource("pods", "delete")] },
      { groupVersion: "a/b/c", resources: [resource("widgets", verb)] },
    ];
    expect(() => deletableResources(lists("delete"))).toThrow(/^unexpected GroupVersion string: a\/b\/c$/);
    expect(deletableResources(lists("list"))).toHaveLength(1);
  });

  it("namespace/1 support what discovery said first, and anything when it said nothing", () => {
    const unsupported = new Unsupported();
    unsupported.learn([{ groupVersion: "v1", resources: [resource("pods", "delete", "list")] }]);
    expect(unsupported.has("deletecollection", Pods)).toBe(true);
    expect(unsupported.has("list", Pods)).toBe(false);
    expect(unsupported.has("list", { ...Pods, version: "v2" })).toBe(false);
  });
});
