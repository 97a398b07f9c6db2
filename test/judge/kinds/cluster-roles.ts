// Cluster roles, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const health = { verbs: ["get"], nonResourceURLs: ["/healthz"] };

export const clusterRoles: KindRow = {
  label: "ClusterRole",
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  isClusterScoped: true,
  minimal: { rules: [pods] },
  full: {
    rules: [{ ...pods, resourceNames: ["a"] }, health],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "a" } }] },
  },
  invalid: [
    { rules: [{ verbs: [], apiGroups: [""], resources: ["pods"] }] },
    { rules: [{ verbs: ["get"] }] },
    { rules: [{ ...pods, ...health }] },
    { rules: [], aggregationRule: {} },
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "bad key": "x" } }] } },
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Is" }] }] } },
  ],
  updates: [
    { rules: [pods, health] },
    { rules: null },
    { rules: [{ verbs: ["get"] }] },
    { aggregationRule: { clusterRoleSelectors: [{}] } },
    { metadata: { labels: { a: "b" } } },
  ],
  patches: {
    merge: { rules: [health] },
    json: [{ op: "add", path: "/rules/0/verbs/-", value: "list" }],
    strategic: { rules: [pods] },
  },
  otherContent: { rules: [pods, health] },
};
