// Aggregated cluster roles: the source of their rules, and changes by users.

import { expect } from "vitest";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { ClusterRole, PolicyRule } from "#api/generated/types/rbac-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const rule = (resource: string, ...verbs: readonly string[]): PolicyRule => ({
  verbs: verbs.length === 0 ? ["get"] : verbs,
  apiGroups: [""],
  resources: [resource],
});
const health: PolicyRule = { verbs: ["get"], nonResourceURLs: ["/healthz"] };

/** Plays share the roles of the cluster, so each play has a separate label. */
const label = (stage: Stage, part: string) => ({ [`${part}.example.com/aggregate`]: stage.namespace });

async function createRole(stage: Stage, name: string, part: string, ...rules: readonly PolicyRule[]): Promise<void> {
  await stage.of(ClusterRoles).create({ metadata: { name: stage.name(name), labels: label(stage, part) }, rules });
}

async function createAggregate(
  stage: Stage,
  parts: readonly string[],
  more: Partial<ClusterRole> = {},
  name = "all",
): Promise<void> {
  const clusterRoleSelectors = parts.map((part) => ({ matchLabels: label(stage, part) }));
  await stage.of(ClusterRoles).create({
    rules: [],
    aggregationRule: { clusterRoleSelectors },
    ...more,
    metadata: { ...more.metadata, name: stage.name(name) },
  });
}

async function untilRules(stage: Stage, rules: readonly PolicyRule[], name = "all"): Promise<void> {
  const wanted = JSON.stringify(rules.map(inOrder));
  await stage
    .of(ClusterRoles)
    .until(stage.name(name), (role) => JSON.stringify((role.rules ?? []).map(inOrder)) === wanted);
}

const inOrder = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) => ({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
});

const owners = (stage: Stage, name = "all") =>
  stage
    .of(ClusterRoles)
    .get(stage.name(name))
    .then(({ metadata }) =>
      (metadata.managedFields ?? [])
        .filter(({ fieldsV1 }) => fieldsV1 !== undefined && "f:rules" in fieldsV1)
        .map(({ manager, operation }) => `${manager} ${operation}`),
    );

export const scenarios: readonly Scenario[] = scenariosOf("clusterrole-aggregation-controller", { cast: "auth" }, [
  {
    name: "clusterrole-aggregation/2, clusterrole-aggregation/writes, clusterrole-aggregation/watches, clusterrole-aggregation/about, clusterrole-aggregation/tests gathers the rules of the roles that it selects, in the order of their names",
    async play(stage) {
      await createRole(stage, "b", "one", rule("pods"), health);
      await createRole(stage, "a", "one", rule("secrets", "get", "list"));
      await createRole(stage, "c", "other", rule("nodes"));
      await stage.settle();
      await createAggregate(stage, ["one"]);
      await untilRules(stage, [rule("secrets", "get", "list"), rule("pods"), health]);
      expect(await owners(stage)).toContain("clusterrole-aggregation-controller Apply");
      await stage.calm(async () => {
        await stage.settle();
        const own = (await stage.writes()).filter(({ name }) => name === stage.name("all"));
        expect(own.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(["patch clusterroles"]);
      });
    },
  },
  {
    name: "clusterrole-aggregation/2, clusterrole-aggregation/3, clusterrole-aggregation/tests gathers selector by selector, each rule once",
    async play(stage) {
      await createRole(stage, "a", "one", rule("pods"), rule("nodes"));
      await createRole(stage, "b", "two", rule("secrets"), rule("pods"));
      await stage.settle();
      await createAggregate(stage, ["two", "one"]);
      await untilRules(stage, [rule("secrets"), rule("pods"), rule("nodes")]);
    },
  },
  {
    name: "clusterrole-aggregation/1, clusterrole-aggregation/4, clusterrole-aggregation/tests follows roles that come, change and go",
    async play(stage) {
      await createRole(stage, "plain", "none", rule("events"));
      await createAggregate(stage, ["one"]);
      await stage.settle();
      await createRole(stage, "a", "one", rule("pods"));
      await untilRules(stage, [rule("pods")]);
      await stage.settle();
      await stage.of(ClusterRoles).patch(stage.name("a"), { rules: [rule("nodes"), rule("pods")] });
      await untilRules(stage, [rule("nodes"), rule("pods")]);
      await stage.settle();
      await stage.of(ClusterRoles).patch(stage.name("plain"), { metadata: { labels: label(stage, "one") } });
      await untilRules(stage, [rule("nodes"), rule("pods"), rule("events")]);
      await stage.settle();
      await stage.of(ClusterRoles).delete(stage.name("a"));
      await untilRules(stage, [rule("events")]);
    },
  },
  {
    name: "clusterrole-aggregation/5, clusterrole-aggregation/tests gives up its rules when it selects no role any more",
    async play(stage) {
      await createRole(stage, "a", "one", rule("pods"));
      await createAggregate(stage, ["one"]);
      await untilRules(stage, [rule("pods")]);
      await stage.settle();
      await stage.of(ClusterRoles).delete(stage.name("a"));
      await untilRules(stage, []);
    },
  },
  {
    name: "clusterrole-aggregation/6, clusterrole-aggregation/tests takes back what a user writes into it",
    async play(stage) {
      await createRole(stage, "a", "one", rule("pods"));
      await createAggregate(stage, ["one"], { rules: [rule("nodes"), health] });
      await untilRules(stage, [rule("pods")]);
      await stage.settle();
      await stage.of(ClusterRoles).patch(stage.name("all"), { rules: [rule("secrets", "*")] });
      await stage
        .of(ClusterRoles)
        .until(stage.name("all"), ({ rules }) => rules?.length === 1 && rules[0]?.resources?.[0] === "pods");
    },
  },
  {
    name: "clusterrole-aggregation/traps, clusterrole-aggregation/tests fills an aggregate of aggregates step by step",
    async play(stage) {
      await createRole(stage, "a", "one", rule("pods"));
      await createAggregate(stage, ["one"], { metadata: { labels: label(stage, "two") } }, "inner");
      await untilRules(stage, [rule("pods")], "inner");
      await stage.settle();
      await createAggregate(stage, ["two"]);
      await untilRules(stage, [rule("pods")]);
      await stage.settle();
      await createRole(stage, "b", "one", rule("nodes", "list"));
      await untilRules(stage, [rule("pods"), rule("nodes", "list")]);
    },
  },
  {
    name: "clusterrole-aggregation/2, clusterrole-aggregation/7, clusterrole-aggregation/tests does not gather its own rules, and copies names of resources",
    async play(stage) {
      const named = { ...rule("configmaps"), resourceNames: ["settings"] };
      await createRole(stage, "a", "one", named);
      await stage.settle();
      await createAggregate(stage, ["one"], { metadata: { labels: label(stage, "one") }, rules: [rule("nodes")] });
      await untilRules(stage, [named]);
    },
  },
]);
