// The requests of a policy check, and the effect of refusals.

import { expect, it } from "vitest";
import { ValidatingAdmissionPolicies } from "#api/generated/resources/admissionregistration-v1.ts";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { jsonResponse } from "#client/testing.ts";
import { unavailable } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const IDENTITY = "validatingadmissionpolicy-status-controller";
const QUEUE = "validatingadmissionpolicy-status";
const GROUP = "things.example.com";

class PolicyWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<PolicyWorld> {
    const world = await new PolicyWorld({
      controllers: ["validatingadmissionpolicy-status-controller"],
      seed,
    }).opened();
    return await world.started(options);
  }

  async policy(name: string, group: string, resource: string, expression: string): Promise<void> {
    const rule = { apiGroups: [group], apiVersions: ["v1"], resources: [resource], operations: ["CREATE"] };
    const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] };
    const policy = { metadata: { name }, spec };
    await this.of(ValidatingAdmissionPolicies).create(policy);
  }

  async define(): Promise<void> {
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    const definition = {
      metadata: { name: `things.${GROUP}` },
      spec: { group: GROUP, scope: "Namespaced", names, versions },
    };
    await this.of(CustomResourceDefinitions).create(definition);
    await this.pass(1000);
  }

  /** Undefined if the policy is not checked yet. */
  async warnings(name: string): Promise<readonly string[] | undefined> {
    const policy = await this.of(ValidatingAdmissionPolicies).find(name);
    const { observedGeneration, typeChecking } = policy?.status ?? {};
    if (observedGeneration === undefined) return undefined;
    return (typeChecking?.expressionWarnings ?? []).map(({ warning }) => warning);
  }
}

it("validatingadmissionpolicy-status/7 checks a policy again after a refused write, and forgets one that is deleted", async () => {
  const state = { isRefusing: true };
  const intercept: WireManagerOptions["intercept"] = ({ method }, who) =>
    state.isRefusing && who === IDENTITY && method === "PATCH" ? unavailable : undefined;
  await using world = await PolicyWorld.open("refused", { intercept });
  await world.policy("kept", "apps", "deployments", "object.spec.replicas > 1");
  await world.policy("deleted", "apps", "deployments", "object.spec.replicas > 1");
  await world.pass(1000);
  expect(world.retries(QUEUE)).toBeGreaterThan(2);
  expect(await world.warnings("kept")).toBeUndefined();
  await world.of(ValidatingAdmissionPolicies).delete("deleted");
  state.isRefusing = false;
  const before = world.requests("PATCH").length;
  await world.pass(60_000);
  expect(await world.warnings("kept")).toEqual([]);
  const after = world.requests("PATCH").slice(before);
  expect(after).toHaveLength(1);
  expect(after[0]).toContain("/validatingadmissionpolicies/kept/status?");
});

/** The API server's OpenAPI document of the group. */
const openApi = (path: string, isPublished: boolean): object => {
  const url = `/openapi/v3/apis/${GROUP}/v1`;
  if (path === "/openapi/v3") return { paths: isPublished ? { [`apis/${GROUP}/v1`]: { serverRelativeURL: url } } : {} };
  const spec = { type: "object", properties: { size: { type: "integer" } } };
  const kinds = [{ group: GROUP, version: "v1", kind: "Thing" }];
  const Thing = { type: "object", properties: { spec }, "x-kubernetes-group-version-kind": kinds };
  return { components: { schemas: { Thing } } };
};

it("validatingadmissionpolicy-status/reads-live asks for the schemas of kinds that are not built in, and for no other", async () => {
  const intercept: WireManagerOptions["intercept"] = ({ path }, who) =>
    who === IDENTITY && path.startsWith("/openapi/v3") ? jsonResponse(openApi(path, true)) : undefined;
  await using world = await PolicyWorld.open("schemas", { intercept });
  const asked = (): readonly string[] =>
    world
      .requests("GET")
      .filter((target) => target.startsWith("/openapi"))
      .map((target) => target.replace(/\?.*/, ""));
  await world.policy("built-in", "apps", "deployments", "object.spec.none > 1");
  await world.pass(1000);
  expect((await world.warnings("built-in"))?.[0]).toContain("undefined field 'none'");
  expect(asked()).toEqual([]);
  await world.define();
  await world.policy("custom", GROUP, "things", "object.spec.weight > 1");
  await world.pass(1000);
  expect((await world.warnings("custom"))?.[0]).toContain("undefined field 'weight'");
  expect(asked()).toEqual(["/openapi/v3", `/openapi/v3/apis/${GROUP}/v1`]);
});

it("validatingadmissionpolicy-status/traps does not check a policy again when the schema is published later", async () => {
  const state = { isPublished: false };
  const intercept: WireManagerOptions["intercept"] = ({ path }, who) =>
    who === IDENTITY && path.startsWith("/openapi/v3") ? jsonResponse(openApi(path, state.isPublished)) : undefined;
  await using world = await PolicyWorld.open("early", { intercept });
  await world.define();
  await world.policy("early", GROUP, "things", "object.spec.weight > 1");
  await world.pass(1000);
  expect(await world.warnings("early")).toEqual([]);
  state.isPublished = true;
  await world.pass(3_600_000);
  expect(await world.warnings("early")).toEqual([]);
  await world.policy("late", GROUP, "things", "object.spec.weight > 1");
  await world.pass(1000);
  expect(await world.warnings("late")).toHaveLength(1);
});
