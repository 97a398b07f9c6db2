import { describe, expect, it } from "vitest";
import { builtinGroups, builtinResources, resourceOf, resourceOfKind } from "#api/resource-table.ts";

describe("resource table", () => {
  it("finds a resource with its subresources", () => {
    const pods = resourceOf({ group: "", version: "v1", resource: "pods" });
    expect(pods).toMatchObject({
      kind: "Pod",
      singular: "pod",
      namespaced: true,
      shortNames: ["po"],
      categories: ["all"],
    });
    expect(pods?.storageVersionHash).toBe("xPOwRZ+Yhw8=");
    expect(pods?.subresources.find(({ name }) => name === "eviction")?.kind).toEqual({
      group: "policy",
      version: "v1",
      kind: "Eviction",
    });
    expect(resourceOf({ group: "apps", version: "v1", resource: "deployments" })?.subresources).toEqual([
      {
        name: "scale",
        verbs: ["get", "patch", "update"],
        kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      },
      { name: "status", verbs: ["get", "patch", "update"], kind: { group: "apps", version: "v1", kind: "Deployment" } },
    ]);
  });

  it("finds by kind what it finds by resource", () => {
    for (const resource of builtinResources()) {
      expect(resourceOf(resource)).toBe(resource);
      expect(resourceOfKind(resource)).toBe(resource);
    }
    expect(resourceOfKind({ group: "", version: "v1", kind: "__proto__" })).toBeUndefined();
  });

  it("orders groups and versions as discovery does", () => {
    const groups = builtinGroups();
    expect(groups.map(({ group }) => group).slice(0, 3)).toEqual(["", "apiregistration.k8s.io", "apps"]);
    expect(groups.find(({ group }) => group === "autoscaling")?.versions).toEqual(["v2", "v1"]);
    expect(new Set(groups.map(({ group }) => group)).size).toBe(groups.length);
  });

  it("serves stable versions alone by default", () => {
    const served = (version: string): boolean | undefined =>
      resourceOf({ group: "resource.k8s.io", version, resource: "resourceclaims" })?.servedByDefault;
    expect([served("v1"), served("v1beta1")]).toEqual([true, false]);
  });
});
