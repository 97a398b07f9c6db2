// The names that kinds accept, compared with upstream's errors (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import { builtinResources } from "#api/resource-table.ts";
import { groupKindText, groupResourceText } from "#api/status-error.ts";
import { seededRng } from "#base/seeded-rng.ts";
import file from "#test/vectors/object-meta.json" with { type: "json" };
import { builtinKind } from "./builtin-kinds.ts";

type Row = readonly [group: string, kind: string, signerName: string, name: string, errors: readonly string[]];
const { names } = file as unknown as { readonly names: readonly Row[] };

const resources = new Map(builtinResources().map((resource) => [groupKindText(resource), resource]));
const ON = { isEnabled: () => true };

/** The kind's errors for metadata.name. */
function complaints(group: string, kind: string, given: object, name: string, gates = ON): string[] {
  const resource = resources.get(groupKindText({ group, kind }));
  const strategy = resource && builtinKind(groupResourceText(resource))?.strategy;
  if (resource === undefined || strategy === undefined) throw new Error(`no kind ${kind} in ${group}`);
  const object: KubeObject = { ...given, metadata: { name, ...(resource.namespaced ? { namespace: "n" } : {}) } };
  const ctx = { now: 0, rng: seededRng(1), user: { name: "u" }, gates, dryRun: false };
  return strategy.validate(object, ctx).flatMap(({ field, detail }) => (field === "metadata.name" ? [detail] : []));
}

describe("names of kinds", () => {
  it("are validated with upstream's messages", () => {
    expect(names.length).toBeGreaterThan(100);
    for (const [group, kind, signerName, name, errors] of names) {
      expect([kind, name, complaints(group, kind, { spec: { signerName } }, name)]).toEqual([kind, name, [...errors]]);
    }
  });

  it("of services must start with a letter while the gate is off", () => {
    expect(complaints("", "Service", {}, "1web", { isEnabled: () => false })[0]).toMatch(/^a DNS-1035 label/);
  });

  it("of cron jobs leave room for the job's suffix", () => {
    expect(complaints("batch", "CronJob", {}, "a".repeat(52))).toEqual([]);
    expect(complaints("batch", "CronJob", {}, "a".repeat(53))).toEqual(["must be no more than 52 characters"]);
  });

  it("of API services follow from their spec", () => {
    const judge = (name: string): string[] =>
      complaints("apiregistration.k8s.io", "APIService", { spec: { group: "x.io", version: "v1" } }, name);
    expect(judge("v1.x.io")).toEqual([]);
    expect(judge("v2.x.io")).toEqual(['must be `spec.version+"."+spec.group`: "v1.x.io"']);
    expect(judge("a/b")).toEqual(["may not contain '/'"]);
  });
});
