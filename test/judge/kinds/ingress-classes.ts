// Ingress classes, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const controller = "example.com/controller";

export const ingressClasses: KindRow = {
  label: "IngressClass",
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  isClusterScoped: true,
  minimal: { spec: { controller } },
  full: { spec: { controller, parameters: { apiGroup: "example.com", kind: "Params", name: "p" } } },
  invalid: [
    { spec: {} },
    { spec: { controller: "no-domain" } },
    { spec: { controller: "Example.com/a b" } },
    { spec: { controller: `example.com/${"a".repeat(250)}` } },
    { spec: { controller, parameters: {} } },
    { spec: { controller, parameters: { apiGroup: "Bad_", kind: "a/b", name: "..", scope: "World" } } },
    { spec: { controller, parameters: { kind: "P", name: "p", scope: "Namespace" } } },
    { spec: { controller, parameters: { kind: "P", name: "p", scope: "Namespace", namespace: "Bad" } } },
    { spec: { controller, parameters: { kind: "P", name: "p", namespace: "team" } } },
  ],
  updates: [
    { spec: { controller: "example.com/other" } },
    { spec: { parameters: { kind: "P", name: "p", scope: "Namespace", namespace: "team" } } },
    { spec: { parameters: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { spec: { parameters: { kind: "P", name: "p" } } },
    json: [{ op: "replace", path: "/spec/parameters/name", value: "q" }],
    strategic: { spec: { parameters: { name: "r" } } },
  },
  otherContent: { spec: { controller, parameters: { kind: "Other", name: "o" } } },
};
