// Bindings of roles and cluster roles, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const apiGroup = "rbac.authorization.k8s.io";
const roleRef = { apiGroup, kind: "ClusterRole", name: "view" };
const jane = { kind: "User", name: "jane" };
const robot = { kind: "ServiceAccount", name: "robot", namespace: "default" };

const shared = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  minimal: { roleRef },
  full: { roleRef, subjects: [jane, { kind: "Group", name: "devs" }, robot] },
  invalid: [
    {},
    { roleRef: { kind: "Pod", name: "a/b", apiGroup: "apps" } },
    { roleRef, subjects: [{ kind: "Robot", name: "x" }] },
    { roleRef, subjects: [{ kind: "User", name: "x", apiGroup: "apps" }] },
    { roleRef, subjects: [{ kind: "ServiceAccount", name: "Bad_Name", apiGroup: "apps" }, { kind: "User" }] },
  ],
  updates: [
    { subjects: [jane] },
    { roleRef: { name: "edit" } },
    { subjects: [{ kind: "User" }] },
    { metadata: { labels: { a: "b" } } },
  ],
  patches: {
    merge: { subjects: [robot] },
    json: [{ op: "replace", path: "/subjects/0/name", value: "other" }],
    strategic: { subjects: [jane] },
  },
  otherContent: { roleRef, subjects: [jane] },
};

export const roleBindings: KindRow = {
  ...shared,
  label: "RoleBinding",
  kind: "RoleBinding",
  resource: "rolebindings",
};

export const clusterRoleBindings: KindRow = {
  ...shared,
  label: "ClusterRoleBinding",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  isClusterScoped: true,
};
