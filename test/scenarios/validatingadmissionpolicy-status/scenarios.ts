// Policies whose expressions do not fit the objects that they match get warnings in their status.

import { expect } from "vitest";
import { ValidatingAdmissionPolicies } from "#api/generated/resources/admissionregistration-v1.ts";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "#api/generated/types/admissionregistration-v1.ts";
import { define, definitionName } from "#test/stage/custom-resources.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const matching = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  resourceRules: [{ apiGroups, apiVersions, resources, operations: ["CREATE"] }],
});
const deployments = matching(["apps"], ["v1"], ["deployments"]);

async function createPolicy(stage: Stage, spec: ValidatingAdmissionPolicySpec): Promise<string> {
  const name = stage.name("policy");
  await stage.of(ValidatingAdmissionPolicies).create({ metadata: { name }, spec });
  return name;
}

/** The warnings, once the newest generation has been checked. */
async function warnings(stage: Stage, name: string): Promise<readonly string[]> {
  const isChecked = ({ metadata, status }: ValidatingAdmissionPolicy): boolean =>
    status?.observedGeneration !== undefined && status.observedGeneration === metadata?.generation;
  const { status } = await stage.of(ValidatingAdmissionPolicies).until(name, isChecked);
  return (status?.typeChecking?.expressionWarnings ?? []).map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`);
}

const expressions = (...texts: string[]) => texts.map((expression) => ({ expression }));

export const scenarios: readonly Scenario[] = scenariosOf(
  "validatingadmissionpolicy-status-controller",
  { cast: "clean-up" },
  [
    {
      name: "validatingadmissionpolicy-status/2 says that a policy has been checked when nothing is wrong",
      async play(stage) {
        const validations = expressions("object.spec.replicas <= 5");
        const name = await createPolicy(stage, { matchConstraints: deployments, validations });
        expect(await warnings(stage, name)).toEqual([]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/5, validatingadmissionpolicy-status/6 warns of expressions and messages that do not fit",
      async play(stage) {
        const validations = [
          ...expressions("object.spec.replicas > '1'"),
          { expression: "object.spec.replicas > 1", messageExpression: "'more than ' + object.spec.limit" },
        ];
        const name = await createPolicy(stage, { matchConstraints: deployments, validations });
        const [first = "", second = ""] = await warnings(stage, name);
        expect(first).toBe(
          "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n",
        );
        expect(second).toContain("spec.validations[1].messageExpression: apps/v1, Kind=Deployment: ");
        expect(second).toContain("undefined field 'limit'");
      },
    },
    {
      name: "validatingadmissionpolicy-status/3 checks every kind that the rules name, and none that they leave open",
      async play(stage) {
        const [open] = matching(["*"], ["*"], ["*"]).resourceRules;
        const [named] = matching(["apps", "batch"], ["v1"], ["deployments", "jobs", "deployments/scale"]).resourceRules;
        const matchConstraints = { resourceRules: [open, named].filter((rule) => rule !== undefined) };
        const validations = expressions("object.spec.replicas > 1", "object.spec.none == 1");
        const name = await createPolicy(stage, { matchConstraints, validations });
        const found = await warnings(stage, name);
        expect(found).toHaveLength(2);
        expect(found[0]).toContain("batch/v1, Kind=Job: ERROR: <input>:1:12: undefined field 'replicas'");
        expect(found[1]).toMatch(/apps\/v1, Kind=Deployment: (.|\n)*batch\/v1, Kind=Job: /);
      },
    },
    {
      name: "validatingadmissionpolicy-status/4 knows the type of parameters",
      async play(stage) {
        const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
        const validations = expressions("params.data.max == '1'", "params.data.max == 1", "params.none == 1");
        const name = await createPolicy(stage, { paramKind, matchConstraints: deployments, validations });
        const found = await warnings(stage, name);
        expect(found.map((warning) => warning.slice(0, 30))).toEqual([
          "spec.validations[1].expression",
          "spec.validations[2].expression",
        ]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/4 takes parameters of a kind that is not served for anything",
      async play(stage) {
        const paramKind = { apiVersion: "example.com/v1", kind: "Nothing" };
        const validations = expressions("params.spec.size == object.spec.replicas");
        const name = await createPolicy(stage, { paramKind, matchConstraints: deployments, validations });
        expect(await warnings(stage, name)).toEqual([]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/5 knows variables by their types",
      async play(stage) {
        const variables = [
          { name: "replicas", expression: "object.spec.replicas" },
          { name: "copy", expression: "variables.replicas" },
        ];
        const validations = expressions("variables.copy == 4", "variables.copy == 'four'");
        const name = await createPolicy(stage, { matchConstraints: deployments, variables, validations });
        const [warning, ...others] = await warnings(stage, name);
        expect(warning).toContain("applied to '(int, string)'");
        expect(others).toEqual([]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/1 checks a policy anew when its spec changes, and only then",
      async play(stage) {
        const validations = expressions("object.spec.none == 1");
        const name = await createPolicy(stage, { matchConstraints: deployments, validations });
        expect(await warnings(stage, name)).toHaveLength(1);
        await stage.settle();
        const policies = stage.of(ValidatingAdmissionPolicies);
        await policies.patch(name, { metadata: { labels: { checked: "yes" } } });
        await stage.settle();
        await stage.calm(async () => {
          expect(await stage.writes()).toHaveLength(1);
        });
        await policies.patch(name, { spec: { validations: expressions("object.spec.replicas == 1") } });
        expect(await warnings(stage, name)).toEqual([]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/3 has nothing to say of resources that are not served",
      async play(stage) {
        const matchConstraints = matching(["example.com"], ["v1"], ["nothings"]);
        const name = await createPolicy(stage, { matchConstraints, validations: expressions("object.none == 1") });
        expect(await warnings(stage, name)).toEqual([]);
      },
    },
    {
      name: "validatingadmissionpolicy-status/3, validatingadmissionpolicy-status/5 checks custom resources by their schemas",
      realOnly: "the embedded server's OpenAPI documents have no custom resources",
      async play(stage) {
        const things = await define(stage, "Thing");
        const properties = { spec: { type: "object", properties: { size: { type: "integer" } } } };
        const schema = { openAPIV3Schema: { type: "object", properties } };
        const versions = [{ name: "v1", served: true, storage: true, schema }];
        await stage.of(CustomResourceDefinitions).patch(definitionName(things), { spec: { versions } });
        // The document of the group is published a little later.
        await stage.pass(5000);
        const matchConstraints = matching([things.group], ["v1"], [things.resource]);
        const validations = expressions("object.spec.size > 1", "object.spec.weight > 1", "object.spec.size == 'a'");
        const name = await createPolicy(stage, { matchConstraints, validations });
        const found = await warnings(stage, name);
        expect(found).toHaveLength(2);
        expect(found[0]).toContain("undefined field 'weight'");
      },
    },
  ],
);
