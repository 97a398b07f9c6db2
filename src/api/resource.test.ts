import { describe, expect, it } from "vitest";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { APIServices } from "#api/generated/resources/apiregistration-v1.ts";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import * as core from "#api/generated/resources/core-v1.ts";
import { NetworkPolicies } from "#api/generated/resources/networking-v1.ts";
import { builtinResources, resourceOf } from "#api/resource-table.ts";

describe("generated resource handles", () => {
  it("are named by the plural of the kind, Endpoints among them", () => {
    const handles = [ReplicaSets, NetworkPolicies, CustomResourceDefinitions, APIServices, core.Endpoints];
    expect(handles.map(({ group, resource }) => [resource, group])).toEqual([
      ["replicasets", "apps"],
      ["networkpolicies", "networking.k8s.io"],
      ["customresourcedefinitions", "apiextensions.k8s.io"],
      ["apiservices", "apiregistration.k8s.io"],
      ["endpoints", ""],
    ]);
  });

  it("cover all resources of a group and agree with the table on kind and scope", () => {
    const handles = Object.values(core);
    const rows = builtinResources().filter(({ group, version }) => group === "" && version === "v1");
    expect(handles.map(({ resource }) => resource).sort()).toEqual(rows.map(({ resource }) => resource).sort());
    for (const { scope, ...gvr } of handles) {
      const row = resourceOf(gvr);
      expect({ kind: gvr.kind, scope }).toEqual({ kind: row?.kind, scope: row?.namespaced ? "Namespaced" : "Cluster" });
    }
  });
});
