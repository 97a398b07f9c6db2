// The names that kinds accept, against upstream's complaints (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import file from "#test/vectors/object-meta.json" with { type: "json" };
import { kindNameCheck } from "./kind-names.ts";

type Row = readonly [group: string, kind: string, signerName: string, name: string, errors: readonly string[]];
const { names } = file as unknown as { readonly names: readonly Row[] };
const gates = { isEnabled: () => true };

describe("names of kinds", () => {
  it("are judged in upstream's words", () => {
    expect(names.length).toBeGreaterThan(100);
    for (const [group, kind, signerName, name, errors] of names) {
      const object = { spec: { signerName } } as object;
      expect([kind, name, kindNameCheck({ group, kind }, object, gates)(name)]).toEqual([kind, name, [...errors]]);
    }
  });

  it("of services must start with a letter while the gate is off", () => {
    const check = kindNameCheck({ group: "", kind: "Service" }, {}, { isEnabled: () => false });
    expect(check("1web")[0]).toMatch(/^a DNS-1035 label/);
  });

  it("of cron jobs leave room for the job's suffix", () => {
    const check = kindNameCheck({ group: "batch", kind: "CronJob" }, {}, gates);
    expect(check("a".repeat(52))).toEqual([]);
    expect(check("a".repeat(53))).toEqual(["must be no more than 52 characters"]);
  });

  it("of definitions and API services follow from their spec", () => {
    const crd = { spec: { group: "x.io", names: { plural: "dogs" } } } as object;
    const crdCheck = kindNameCheck({ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" }, crd, gates);
    expect(crdCheck("dogs.x.io")).toEqual([]);
    expect(crdCheck("cats.x.io")).toEqual(['must be spec.names.plural+"."+spec.group']);
    const service = { spec: { group: "x.io", version: "v1" } } as object;
    const serviceCheck = kindNameCheck({ group: "apiregistration.k8s.io", kind: "APIService" }, service, gates);
    expect(serviceCheck("v1.x.io")).toEqual([]);
    expect(serviceCheck("v2.x.io")).toEqual(['must be `spec.version+"."+spec.group`: "v1.x.io"']);
    expect(serviceCheck("a/b")).toEqual(["may not contain '/'"]);
  });
});
