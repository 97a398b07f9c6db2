import { describe, expect, it } from "vitest";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import type { LabelSelector } from "#api/meta.ts";
import { stored } from "#api/testing.ts";
import { aggregatedRules, appliedRule, areSameRules, type ClusterRole } from "./rules.ts";

const rule = (resource: string): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (name: string, labels: Record<string, string>, ...rules: readonly PolicyRule[]): ClusterRole =>
  stored(ClusterRoles, { metadata: { name, labels }, rules });
const gathering = (...clusterRoleSelectors: readonly LabelSelector[]): ClusterRole =>
  stored(ClusterRoles, {
    metadata: { name: "all", labels: { part: "a" } },
    rules: [],
    aggregationRule: { clusterRoleSelectors },
  });
const a = { matchLabels: { part: "a" } };
const b = { matchLabels: { part: "b" } };

describe("the rules of an aggregated role", () => {
  it("clusterrole-aggregation/2, clusterrole-aggregation/3 come selector by selector, role by role, each once", () => {
    const roles = [
      role("z", { part: "a" }, rule("pods"), rule("nodes")),
      role("y", { part: "b" }, rule("secrets"), rule("pods")),
      role("x", { part: "a" }, rule("pods")),
      role("w", {}, rule("events")),
    ];
    expect(aggregatedRules(gathering(b, a), roles)).toEqual([rule("secrets"), rule("pods"), rule("nodes")]);
  });

  it("clusterrole-aggregation/2 are not its own", () => {
    const all = gathering(a);
    expect(aggregatedRules(all, [{ ...all, rules: [rule("pods")] }])).toEqual([]);
  });

  it("clusterrole-aggregation/2 are the same with an empty list and without one", () => {
    const roles = [
      role("x", { part: "a" }, rule("pods")),
      role("y", { part: "a" }, { ...rule("pods"), resourceNames: [] }),
    ];
    expect(aggregatedRules(gathering(a), roles)).toHaveLength(1);
  });

  it("clusterrole-aggregation/3 cannot be computed with an invalid selector", () => {
    const invalid = { matchExpressions: [{ key: "part", operator: "Is" }] };
    expect(() => aggregatedRules(gathering(invalid), [])).toThrow('"Is" is not a valid label selector operator');
  });

  it("clusterrole-aggregation/4 are compared in order", () => {
    const [pods, nodes] = [rule("pods"), rule("nodes")];
    expect(areSameRules([pods, nodes], [pods, nodes])).toBe(true);
    expect(areSameRules([pods, nodes], [nodes, pods])).toBe(false);
    expect(areSameRules([pods], [pods, nodes])).toBe(false);
  });

  it("clusterrole-aggregation/7 are applied as the lists that they have", () => {
    expect(appliedRule({ verbs: ["get"], nonResourceURLs: ["/healthz"], resources: [] })).toEqual({
      verbs: ["get"],
      nonResourceURLs: ["/healthz"],
    });
  });
});
