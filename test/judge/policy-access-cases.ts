// The right to read the parameters of an admission policy, which the user who writes the policy or a binding must have.
// The policies match nothing, so neither server enforces them.

import type { JudgeCase, Step } from "./case.ts";
import { del, get, merge, patch, post } from "./steps.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const BOB = "$ns-bob";

const asBob = (step: Step): Step => ({ ...step, headers: { ...step.headers, "Impersonate-User": BOB } });
const rule = (verbs: string, group: string, ...resources: readonly string[]): object => ({
  verbs: verbs.split(","),
  apiGroups: [group],
  resources,
});
const bindingOf = (kind: string, name: string): object => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  subjects: [{ kind: "User", name: BOB }],
});
const granted = (name: string, ...rules: readonly object[]): readonly Step[] => [
  post(`${RBAC}/clusterroles`, { metadata: { name: `$ns-${name}` }, rules }),
  post(`${RBAC}/clusterrolebindings`, bindingOf("ClusterRole", `$ns-${name}`)),
];
const withdrawn = (name: string): readonly Step[] => [
  del(`${RBAC}/clusterrolebindings/$ns-${name}`),
  del(`${RBAC}/clusterroles/$ns-${name}`),
];

interface Side {
  readonly word: "Validating" | "Mutating";
  readonly policies: string;
  readonly bindings: string;
  readonly spec: object;
  readonly bindingSpec: object;
}

const nothing = {
  apiGroups: ["nothing.example"],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["nothings"],
};
const matchConstraints = { resourceRules: [nothing] };
const applied = { expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}" };
const sides: readonly Side[] = [
  {
    word: "Validating",
    policies: `${ADMISSION}/validatingadmissionpolicies`,
    bindings: `${ADMISSION}/validatingadmissionpolicybindings`,
    spec: { matchConstraints, validations: [{ expression: "true" }] },
    bindingSpec: { validationActions: ["Deny"] },
  },
  {
    word: "Mutating",
    policies: `${ADMISSION}/mutatingadmissionpolicies`,
    bindings: `${ADMISSION}/mutatingadmissionpolicybindings`,
    spec: {
      matchConstraints,
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: applied }],
    },
    bindingSpec: {},
  },
];

const configMaps = { apiVersion: "v1", kind: "ConfigMap" };
const unknown = { apiVersion: "unknown.example/v1", kind: "Unknown" };
const metadata = (name: string): object => ({ metadata: { name: `$ns-${name}` } });
const WRITES = "create,get,list,patch,update";

function casesOf({ word, policies, bindings, spec, bindingSpec }: Side): readonly JudgeCase[] {
  const policy = (name: string, more: object): object => ({ ...metadata(name), spec: { ...spec, ...more } });
  const binding = (name: string, policyName: string, paramRef: object): object => ({
    ...metadata(name),
    spec: { ...bindingSpec, policyName, paramRef: { parameterNotFoundAction: "Deny", ...paramRef } },
  });
  return [
    {
      name: `${word}AdmissionPolicy: its writer may read the parameters`,
      steps: [
        ...granted("writer", rule(WRITES, "admissionregistration.k8s.io", policies.split("/").at(-1) ?? "")),
        { ...asBob(get(`${policies}/none`)), awaits: 404 },
        asBob(post(policies, policy("a", {}))),
        asBob(post(policies, policy("b", { paramKind: configMaps }))),
        asBob(post(policies, policy("b", { paramKind: unknown }))),
        asBob(post(policies, policy("b", { paramKind: { apiVersion: "", kind: "" } }))),
        asBob(patch(`${policies}/$ns-a`, merge, { spec: { paramKind: configMaps } })),
        post(policies, policy("b", { paramKind: configMaps })),
        asBob(patch(`${policies}/$ns-b`, merge, { metadata: { labels: { a: "b" } } })),
        asBob(patch(`${policies}/$ns-b`, merge, { spec: { paramKind: { kind: "Secret" } } })),
        asBob(patch(`${policies}/$ns-b`, merge, { spec: { paramKind: null } })),
        ...granted("reader", rule("get", "", "configmaps")),
        { ...asBob(get("/api/v1/namespaces/$ns/configmaps/none")), awaits: 404 },
        asBob(patch(`${policies}/$ns-b`, merge, { spec: { paramKind: configMaps } })),
        asBob(patch(`${policies}/$ns-b`, merge, { spec: { paramKind: { kind: "Secret" } } })),
        ...["a", "b"].map((name) => del(`${policies}/$ns-${name}`)),
        ...withdrawn("reader"),
        ...withdrawn("writer"),
      ],
    },
    {
      name: `${word}AdmissionPolicyBinding: its writer may read the parameters`,
      steps: [
        ...granted("writer", rule(WRITES, "admissionregistration.k8s.io", bindings.split("/").at(-1) ?? "")),
        { ...asBob(get(`${bindings}/none`)), awaits: 404 },
        post(policies, policy("a", { paramKind: configMaps })),
        post(policies, policy("b", {})),
        post(policies, policy("c", { paramKind: unknown })),
        asBob(post(bindings, binding("x", "$ns-a", { name: "p", namespace: "$ns" }))),
        asBob(post(bindings, binding("x", "$ns-a", { selector: {} }))),
        asBob(post(bindings, binding("x", "$ns-b", { name: "p" }))),
        asBob(post(bindings, binding("x", "$ns-c", { name: "p" }))),
        asBob(post(bindings, binding("x", "$ns-none", { name: "p" }))),
        asBob(post(bindings, binding("x", "$ns-none", { name: "p", selector: {} }))),
        post(`${RBAC}/namespaces/$ns/roles`, { metadata: { name: BOB }, rules: [rule("get", "", "configmaps")] }),
        post(`${RBAC}/namespaces/$ns/rolebindings`, bindingOf("Role", BOB)),
        { ...asBob(get("/api/v1/namespaces/$ns/configmaps/none")), awaits: 404 },
        asBob(post(bindings, binding("x", "$ns-a", { name: "p", namespace: "$ns" }))),
        asBob(patch(`${bindings}/$ns-x`, merge, { metadata: { labels: { a: "b" } } })),
        asBob(patch(`${bindings}/$ns-x`, merge, { spec: { paramRef: { namespace: null } } })),
        asBob(patch(`${bindings}/$ns-x`, merge, { spec: { paramRef: { name: null, selector: {} } } })),
        asBob(patch(`${bindings}/$ns-x`, merge, { spec: { paramRef: null } })),
        post(bindings, binding("y", "$ns-a", { name: "p" })),
        asBob(patch(`${bindings}/$ns-y`, merge, { metadata: { labels: { a: "b" } } })),
        ...["x", "y"].map((name) => del(`${bindings}/$ns-${name}`)),
        ...["a", "b", "c"].map((name) => del(`${policies}/$ns-${name}`)),
        ...withdrawn("writer"),
      ],
    },
  ];
}

export const policyAccessCases: readonly JudgeCase[] = sides.flatMap(casesOf);
