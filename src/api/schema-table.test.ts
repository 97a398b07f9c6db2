import { describe, expect, it } from "vitest";
import { builtinResources } from "#api/resource-table.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf, schemaOfType } from "#api/schema-table.ts";

const apps = { group: "apps", version: "v1" };
const core = { group: "", version: "v1" };

function at(schema: Schema | undefined, ...path: string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (node, step) =>
      step === "[]" ? node?.items : step === "{}" ? (node?.additionalProperties as Schema) : node?.properties?.[step],
    schema,
  );
}

describe("schema table", () => {
  it("has a schema for every built-in kind and its list", () => {
    for (const resource of builtinResources()) {
      expect(schemaOf(resource)?.type, resource.kind).toBe("object");
      if (resource.verbs.includes("list")) {
        expect(schemaOf({ ...resource, kind: `${resource.kind}List` })?.properties?.items?.type).toBe("array");
      }
      for (const { name, kind } of resource.subresources) {
        // The options of connect subresources are query parameters and have no schema.
        if (!/^(attach|exec|portforward|proxy)$/.test(name))
          expect(schemaOf(kind), `${resource.kind}/${name}`).toBeDefined();
      }
    }
  });

  it("contains lists, merge keys, enums and defaults", () => {
    const pod = schemaOf({ ...core, kind: "Pod" });
    expect(at(pod, "spec", "containers")).toMatchObject({
      type: "array",
      listType: "map",
      listMapKeys: ["name"],
      patchStrategy: ["merge"],
      patchMergeKey: "name",
    });
    expect(at(pod, "spec", "containers", "[]", "ports")?.listMapKeys).toEqual(["containerPort", "protocol"]);
    expect(at(pod, "spec", "containers", "[]", "ports", "[]", "protocol")).toEqual({
      type: "string",
      default: "TCP",
      enum: ["SCTP", "TCP", "UDP"],
    });
    expect(at(pod, "spec", "volumes")?.patchStrategy).toEqual(["merge", "retainKeys"]);
    expect(at(pod, "spec", "nodeSelector")).toMatchObject({ type: "object", mapType: "atomic" });
    expect(at(pod, "spec")?.required).toEqual(["containers"]);
    expect(at(pod, "spec", "imagePullSecrets", "[]")).toMatchObject({ mapType: "atomic", default: {} });
    expect(at(pod, "spec", "containers", "[]", "env", "[]", "name")).toEqual({ type: "string", default: "" });
    expect(at(pod, "spec", "overhead", "{}")).toMatchObject({ type: "string", format: "quantity" });
    expect(at(pod, "spec", "containers", "[]", "livenessProbe", "httpGet", "port")).toMatchObject({
      intOrString: true,
    });
    expect(at(schemaOf({ ...core, kind: "Secret" }), "data", "{}")).toEqual({ type: "string", format: "byte" });
    expect(at(schemaOf({ ...core, kind: "PersistentVolume" }), "spec", "claimRef")?.mapType).toBe("granular");
    expect(at(schemaOf({ ...apps, kind: "ControllerRevision" }), "data")?.preserveUnknownFields).toBe(true);
  });

  it("marks the values of an enumerated list, not the list", () => {
    const csr = schemaOf({ group: "certificates.k8s.io", version: "v1", kind: "CertificateSigningRequest" });
    expect(at(csr, "spec", "usages")?.enum).toBeUndefined();
    expect(at(csr, "spec", "usages", "[]")?.enum).toContain("client auth");
  });

  it("shares nodes and closes cycles", () => {
    const template = schemaOfType("core.v1", "PodTemplateSpec");
    expect(at(schemaOf({ ...apps, kind: "Deployment" }), "spec", "template")?.properties).toBe(template?.properties);
    const crd = schemaOf({ group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" });
    const props = at(crd, "spec", "versions", "[]", "schema", "openAPIV3Schema");
    expect(props?.typeName).toBe("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    expect(at(props, "not")).toBe(props);
  });

  it("finds subresource and meta kinds, and nothing else", () => {
    expect(at(schemaOf({ group: "autoscaling", version: "v1", kind: "Scale" }), "spec", "replicas")?.type).toBe(
      "integer",
    );
    expect(schemaOf({ group: "policy", version: "v1", kind: "Eviction" })).toBeDefined();
    expect(schemaOf({ group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" })).toBeDefined();
    expect(schemaOf({ ...apps, kind: "DeleteOptions" })).toBe(schemaOf({ ...core, kind: "DeleteOptions" }) as Schema);
    for (const kind of ["PodSpec", "__proto__", "constructor", "Nothing"])
      expect(schemaOf({ ...core, kind })).toBeUndefined();
    expect(schemaOf({ group: "example.com", version: "v1", kind: "DeleteOptions" })).toBeUndefined();
    expect(schemaOfType("core.v1", "constructor")).toBeUndefined();
    expect(schemaOf({ ...core, kind: "Pod" })?.properties?.constructor).toBeUndefined();
  });
});
