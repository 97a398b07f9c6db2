// The flow schemas and priority levels that every server has. Their specs cannot be changed.
// Upstream: apiserver pkg/apis/flowcontrol/bootstrap, MandatoryFlowSchemas, MandatoryPriorityLevelConfigurations

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";

function everythingOf(...groups: readonly string[]): readonly flow.PolicyRulesWithSubjects[] {
  const any = ["*"];
  return [
    {
      subjects: groups.map((name) => ({ kind: "Group", group: { name } })),
      resourceRules: [{ verbs: any, apiGroups: any, resources: any, clusterScope: true, namespaces: any }],
      nonResourceRules: [{ verbs: any, nonResourceURLs: any }],
    },
  ];
}

export const MANDATORY_FLOW_SCHEMAS: Readonly<Record<string, flow.FlowSchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: everythingOf("system:masters"),
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: "ByUser" },
    rules: everythingOf("system:unauthenticated", "system:authenticated"),
  },
};

export const MANDATORY_PRIORITY_LEVELS: Readonly<Record<string, flow.PriorityLevelConfigurationSpec>> = {
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
  },
};
