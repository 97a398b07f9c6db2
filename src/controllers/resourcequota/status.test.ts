import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { objectCountQuota } from "#rules/quota/object-count.ts";
import { readAmounts } from "#rules/resource-amounts.ts";
import { hasSameLimits, lacksUsage, newStatus, type QuotaStatus, type StoredQuota } from "./status.ts";

type Amounts = Readonly<Record<string, string>>;
const quota = (hard: Amounts, status: QuotaStatus = {}): StoredQuota =>
  stored(ResourceQuotas, { metadata: { name: "quota", namespace: "test" }, spec: { hard }, status });
const context = { now: 0, gates: new FeatureGates(featureGateTable(), "1.36") };
const evaluators = [objectCountQuota({ group: "", resource: "secrets" }, "secrets")];

describe("the status of a quota", () => {
  it("resourcequota/1 has the same limits when their values are the same", () => {
    expect(hasSameLimits({ cpu: "1" }, { cpu: "1000m" })).toBe(true);
    expect(hasSameLimits(undefined, {})).toBe(true);
    expect(hasSameLimits({ cpu: "1" }, { cpu: "2" })).toBe(false);
    expect(hasSameLimits({ cpu: "1" }, { memory: "1" })).toBe(false);
  });

  it.each<[string, StoredQuota, boolean]>([
    ["shows other limits", quota({ secrets: "2" }, { hard: { secrets: "1" }, used: { secrets: "0" } }), true],
    ["lacks a usage that can be counted", quota({ secrets: "1" }, { hard: { secrets: "1" } }), true],
    ["lacks a usage that nobody can count", quota({ other: "1" }, { hard: { other: "1" } }), false],
    ["is complete", quota({ secrets: "1" }, { hard: { secrets: "1" }, used: { secrets: "0" } }), false],
  ])("resourcequota/1 that %s", (_, given, isUrgent) => {
    expect(lacksUsage(given, evaluators, context)).toBe(isUrgent);
  });

  it("resourcequota/4 is written when limits, or usage, are missing or differ, and only then", () => {
    const hard = { secrets: "5" };
    const counted = readAmounts({ secrets: "1" });
    const wanted = { hard, used: { secrets: "1" } };
    expect(newStatus(quota(hard), counted)).toEqual(wanted);
    expect(newStatus(quota(hard, { hard }), counted)).toEqual(wanted);
    expect(newStatus(quota(hard, { hard, used: { secrets: "2" } }), counted)).toEqual(wanted);
    expect(newStatus(quota(hard, { hard: { secrets: "4" }, used: { secrets: "1" } }), counted)).toEqual(wanted);
    expect(newStatus(quota(hard, { hard, used: { secrets: "1000m" } }), counted)).toBeUndefined();
  });

  it("resourcequota/3 keeps a usage that could not be counted, and none without a limit", () => {
    const given = quota({ secrets: "5", pods: "1" }, { hard: { pods: "1" }, used: { pods: "1", configmaps: "3" } });
    expect(newStatus(given, readAmounts({ secrets: "1" }))?.used).toEqual({ pods: "1", secrets: "1" });
  });
});
