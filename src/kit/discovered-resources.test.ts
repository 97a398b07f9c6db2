import { describe, expect, it } from "vitest";
import { resourceText } from "#api/object.ts";
import type { ApiResource } from "#client/discovery.ts";
import { noResources, resourceDiff, resourcesWith, withUndiscovered } from "./discovered-resources.ts";

const resource = (name: string, ...verbs: readonly string[]): ApiResource => ({
  name,
  singularName: "",
  namespaced: true,
  kind: "Kind",
  verbs,
});
const VERBS = ["delete", "list", "watch"];
const all = ["create", "delete", "get", "list", "watch"];

const found = resourcesWith(VERBS, [
  { groupVersion: "v1", resources: [resource("secrets", ...all), resource("pods", "delete", "list", "watch")] },
  { groupVersion: "apps/v1", resources: [resource("deployments", ...all)] },
]);

describe("the resources to watch", () => {
  it("garbage-collector/watches are those that can be deleted, listed and watched", () => {
    const partial = ["delete", "list", "watch"].map((missing) => all.filter((verb) => verb !== missing));
    const lists = [{ groupVersion: "v1", resources: partial.map((verbs, i) => resource(`r${i}`, ...verbs)) }];
    expect([...resourcesWith(VERBS, lists).keys()]).toEqual([]);
    expect([...found.values()]).toMatchObject([
      { group: "", version: "v1", resource: "pods" },
      { group: "", version: "v1", resource: "secrets" },
      { group: "apps", version: "v1", resource: "deployments" },
    ]);
    expect(resourcesWith(VERBS, []).size).toBe(0);
  });

  it("garbage-collector/25 stay when their group version cannot be discovered and their caches are filled", () => {
    const now = resourcesWith(VERBS, [{ groupVersion: "v1", resources: [resource("pods", ...all)] }]);
    const failed = new Set(["apps/v1", "batch/v1"]);
    const [pods, secrets, deployments] = [...found.keys()];
    expect([...withUndiscovered(now, found, failed, () => true).keys()]).toEqual([pods, deployments]);
    expect([...withUndiscovered(now, found, failed, () => false).keys()]).toEqual([pods]);
    expect([...withUndiscovered(now, found, new Set(["v1"]), () => true).keys()]).toEqual([pods, secrets]);
  });

  it("garbage-collector/25 are compared as sets", () => {
    const some = resourcesWith(VERBS, [{ groupVersion: "v1", resources: [resource("pods", ...all)] }]);
    expect(resourceDiff(found, new Map([...found].toReversed()))).toBeUndefined();
    expect(resourceDiff(noResources, some)).toEqual({ added: ["/v1, Resource=pods"], removed: [] });
    expect(resourceDiff(found, some)).toEqual({
      added: [],
      removed: ["/v1, Resource=secrets", "apps/v1, Resource=deployments"],
    });
    expect(resourceText({ group: "apps", version: "v1", resource: "deployments" })).toBe(
      "apps/v1, Resource=deployments",
    );
  });
});
