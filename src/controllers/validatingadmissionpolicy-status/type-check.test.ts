import { describe, expect, it } from "vitest";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from "#api/generated/types/admissionregistration-v1.ts";
import { type GroupVersionKind, parseApiVersion } from "#api/object.ts";
import { builtinResources } from "#api/resource-table.ts";
import { schemaOf } from "#api/schema-table.ts";
import { jsonSchemaOf } from "#cel/built-in-schemas.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { celType } from "#cel/schema-types.ts";
import type { Type } from "#cel/types.ts";
import file from "#test/vectors/policy-types.json" with { type: "json" };
import { matchedKinds, namedResources } from "./matched-kinds.ts";
import { expressionWarnings, untyped } from "./type-check.ts";

const { schemas, vectors } = file as unknown as {
  readonly schemas: Readonly<Record<string, JSONSchemaProps>>;
  readonly vectors: readonly {
    readonly policy: ValidatingAdmissionPolicySpec;
    readonly warnings: readonly ExpressionWarning[] | null;
  }[];
};

const custom = Object.keys(schemas).map((kind) => ({
  group: "example.com",
  version: "v1",
  kind,
  resource: `${kind.toLowerCase()}s`,
}));

function typeOf(kind: GroupVersionKind): Type | undefined {
  if (kind.group === "example.com") {
    const schema = schemas[kind.kind];
    return schema && (celType(schema, true, kind.kind) ?? untyped);
  }
  const schema = schemaOf(kind);
  return schema && celType(jsonSchemaOf(schema), true, kind.kind);
}

function paramsOf({ paramKind }: ValidatingAdmissionPolicySpec): Type | undefined {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  if (paramKind === undefined || apiVersion.split("/").length > 2) return undefined;
  return typeOf({ ...parseApiVersion(apiVersion), kind }) ?? untyped;
}

describe("validatingadmissionpolicy-status/5, validatingadmissionpolicy-status/6, validatingadmissionpolicy-status/tests warnings", () => {
  it.each(vectors)("%# of $policy.validations.0.expression are upstream's", async ({ policy, warnings }) => {
    const kinds = await matchedKinds(policy, async ({ group, version, resource }) =>
      [...builtinResources(), ...custom].filter(
        (known) => known.group === group && known.version === version && known.resource === resource,
      ),
    );
    const typed = kinds.flatMap((kind) => {
      const type = typeOf(kind);
      return type === undefined ? [] : [{ kind, type }];
    });
    expect(expressionWarnings(policy, typed, paramsOf(policy))).toEqual(warnings ?? []);
  });
});

describe("validatingadmissionpolicy-status/3 the kinds to check", () => {
  const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
    apiGroups,
    apiVersions,
    resources,
  });

  it.each([
    ["of a rule", rule(["b", "a"], ["v1"], ["y", "x"]), ["a/v1/x", "a/v1/y", "b/v1/x", "b/v1/y"]],
    ["without any group", rule(["*"], ["v1"], ["x"]), []],
    ["without any version", rule(["a"], ["v1", "*"], ["x"]), []],
    ["without subresources and wildcards", rule(["a"], ["v1"], ["x/status", "*", "y"]), ["a/v1/y"]],
  ])("%s", (_, given, expected) => {
    expect(namedResources(given).map(({ group, version, resource }) => `${group}/${version}/${resource}`)).toEqual(
      expected,
    );
  });

  it("are at most ten of a rule, and none of the rules after it", async () => {
    const resources = Array.from({ length: 12 }, (_, i) => `r${i + 10}`);
    const resourceRules = [rule(["b"], ["v1"], resources), rule(["a"], ["v1"], ["x"])].map((given) => ({
      ...given,
      operations: ["*"],
    }));
    const kindsOf = async ({ group, version, resource }: { group: string; version: string; resource: string }) => [
      { group, version, kind: resource },
    ];
    const kinds = await matchedKinds({ matchConstraints: { resourceRules } }, kindsOf);
    expect(kinds.map(({ kind }) => kind)).toEqual(resources.slice(0, 10));
    const other = await matchedKinds({ matchConstraints: { resourceRules: resourceRules.toReversed() } }, kindsOf);
    expect(other).toHaveLength(11);
  });
});
