// Flow schemas, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const subjects = [{ kind: "User", user: { name: "u" } }];
const resourceRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["team"] };
const priorityLevelConfiguration = { name: "level" };
const withRules = (...rules: object[]): object => ({ spec: { priorityLevelConfiguration, rules } });
const withUrls = (...nonResourceURLs: string[]): object =>
  withRules({ subjects, nonResourceRules: [{ verbs: ["*"], nonResourceURLs }] });
const condition = { type: "Dangling", status: "True", reason: "NotFound", message: "" };

export const flowSchemas: KindRow = {
  label: "FlowSchema",
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  resource: "flowschemas",
  isClusterScoped: true,
  minimal: { spec: { priorityLevelConfiguration } },
  full: {
    spec: {
      priorityLevelConfiguration,
      matchingPrecedence: 500,
      distinguisherMethod: { type: "ByNamespace" },
      rules: [
        {
          subjects: [...subjects, { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "team" } }],
          resourceRules: [resourceRule, { ...resourceRule, namespaces: ["*"], clusterScope: true }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/healthz", "/metrics/*"] }],
        },
      ],
    },
  },
  invalid: [
    { spec: {} },
    { spec: { priorityLevelConfiguration: { name: "Bad_" }, matchingPrecedence: -1 } },
    { spec: { priorityLevelConfiguration, matchingPrecedence: 1, distinguisherMethod: { type: "ByMoon" } } },
    { spec: { priorityLevelConfiguration, matchingPrecedence: 10_001 } },
    withRules({}, { subjects: [{ kind: "Robot" }], resourceRules: [{}], nonResourceRules: [{}] }),
    withRules({ subjects: [{ kind: "User", group: { name: "g" } }], resourceRules: [resourceRule] }),
    withRules({ subjects: [{ kind: "Group", group: {}, user: { name: "u" } }], resourceRules: [resourceRule] }),
    withRules({
      subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "Bad_" } }],
      resourceRules: [{ ...resourceRule, verbs: ["get", "shout"], namespaces: ["Bad"] }],
    }),
    withRules({ subjects, resourceRules: [{ verbs: ["*", "get"], apiGroups: ["*", ""], resources: ["*", "a"] }] }),
    withRules({ subjects, resourceRules: [{ ...resourceRule, namespaces: ["*", "team"] }] }),
    withUrls("", "healthz", "/a b", "/a//b", "/a*", "/*/*"),
    withUrls("*", "/"),
    { metadata: { name: "exempt" }, spec: { priorityLevelConfiguration, matchingPrecedence: 1 } },
  ],
  updates: [
    { spec: { matchingPrecedence: 7 } },
    { spec: { matchingPrecedence: 0 } },
    { spec: { rules: [{}] } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }] },
    { conditions: [{ status: "True" }] },
    { conditions: [condition, { ...condition, status: "False" }] },
  ],
  patches: {
    merge: { spec: { matchingPrecedence: 8 } },
    json: [{ op: "replace", path: "/spec/priorityLevelConfiguration/name", value: "other" }],
    strategic: { spec: { distinguisherMethod: { type: "ByUser" } } },
  },
  otherContent: { spec: { priorityLevelConfiguration: { name: "other" } } },
};
