// Roles, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

export const roles: KindRow = {
  label: "Role",
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  resource: "roles",
  minimal: { rules: [pods] },
  full: { rules: [{ ...pods, resourceNames: ["a"] }, pods] },
  invalid: [
    { rules: [{ verbs: [], apiGroups: [""], resources: ["pods"] }] },
    { rules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }] },
    { rules: [{ ...pods, nonResourceURLs: ["/healthz"] }] },
    { rules: [{ verbs: ["get"] }] },
    { metadata: { name: "a/b" }, rules: [pods] },
  ],
  updates: [
    { rules: [pods, pods] },
    { rules: null },
    { rules: [{ verbs: ["get"] }] },
    { metadata: { labels: { a: "b" } } },
  ],
  patches: {
    merge: { rules: [pods, pods] },
    json: [{ op: "add", path: "/rules/0/verbs/-", value: "list" }],
    strategic: { rules: [pods] },
  },
  otherContent: { rules: [{ ...pods, verbs: ["list"] }] },
};
