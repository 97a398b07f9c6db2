// Admission policies and their bindings, as the real server judges them. They match no request of the cases.

import type { KindRow } from "../kind-row.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const rule = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] };
const matchConstraints = { resourceRules: [rule] };
const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const spec = { matchConstraints, validations: [{ expression: "object.spec.size < 5" }] };

/** Invalid parts that both kinds of policies have. */
const wrongParts: readonly object[] = [
  { failurePolicy: "Maybe" },
  { paramKind: { apiVersion: "a/b/c", kind: "" } },
  { paramKind: { apiVersion: "Apps/V1", kind: "Bad Kind" } },
  { matchConstraints: undefined },
  { matchConstraints: {} },
  { matchConstraints: { resourceRules: [{ ...rule, operations: ["*", "CREATE"], resources: ["*/*", "pods"] }] } },
  {
    matchConstraints: {
      resourceRules: [{ ...rule, apiGroups: [], apiVersions: [""], resources: ["pods/*", "pods/x"] }],
    },
  },
  { matchConstraints: { resourceRules: [{ ...rule, resourceNames: ["a", "a", "b/c"], scope: "Some" }] } },
  { matchConstraints: { ...matchConstraints, matchPolicy: "Loose", objectSelector: { matchLabels: { a: "b c" } } } },
  { matchConditions: [{ name: "", expression: " " }] },
  {
    matchConditions: [
      { name: "a", expression: "params.x == 1" },
      { name: "a", expression: "1" },
    ],
  },
  { variables: [{ name: "in", expression: "object.x" }] },
  {
    variables: [
      { name: "first", expression: "variables.second" },
      { name: "", expression: "" },
    ],
  },
];

export const validatingAdmissionPolicies: KindRow = {
  label: "ValidatingAdmissionPolicy",
  apiVersion,
  kind: "ValidatingAdmissionPolicy",
  resource: "validatingadmissionpolicies",
  isClusterScoped: true,
  minimal: { spec },
  full: {
    spec: {
      failurePolicy: "Ignore",
      paramKind,
      matchConstraints: { ...matchConstraints, matchPolicy: "Exact", excludeResourceRules: [rule] },
      matchConditions: [{ name: "on", expression: "params.data.on == 'yes'" }],
      variables: [
        { name: "size", expression: "object.spec.size" },
        { name: "isLarge", expression: "variables.size > 3" },
      ],
      validations: [
        { expression: "!variables.isLarge", message: "too large", reason: "Forbidden" },
        { expression: "authorizer.requestResource.check('own').allowed()", messageExpression: "'no ' + request.name" },
      ],
      auditAnnotations: [{ key: "size", valueExpression: "string(variables.size)" }],
    },
    status: { observedGeneration: 7 },
  },
  invalid: [
    {},
    ...wrongParts.map((part) => ({ spec: { ...spec, ...part } })),
    { spec: { matchConstraints } },
    { spec: { ...spec, validations: [{ expression: "" }] } },
    { spec: { ...spec, validations: [{ expression: "object.spec.size" }] } },
    { spec: { ...spec, validations: [{ expression: "objekt.spec.size < 5 && request.nothing" }] } },
    { spec: { ...spec, validations: [{ expression: "true", message: "two\nlines", reason: "Because" }] } },
    { spec: { ...spec, validations: [{ expression: "true", message: " ", messageExpression: "1" }] } },
    { spec: { ...spec, validations: [{ expression: "true", messageExpression: "string(authorizer)" }] } },
    { spec: { ...spec, validations: [{ expression: "variables.x == 1" }] } },
    { spec: { ...spec, validations: [{ expression: "params.x == 1" }] } },
    {
      spec: {
        ...spec,
        auditAnnotations: [
          { key: "a b", valueExpression: "1" },
          { key: "c", valueExpression: "" },
          { key: "c", valueExpression: "null" },
        ],
      },
    },
    { metadata: { name: "$ns-a", generation: 5 }, spec: { ...spec, unknown: 1 } },
    { metadata: { name: "$ns.static.k8s.io" }, spec: { ...spec, validations: [] } },
  ],
  updates: [
    { spec: { failurePolicy: "Ignore" } },
    { spec: { paramKind } },
    { spec: { validations: [{ expression: "object.nothing" }] } },
    { spec: { validations: [{ expression: "has(object.nothing)" }] } },
    { spec: { matchConditions: [{ name: "m", expression: "params == null" }] } },
    { spec: { paramKind: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
    { status: { observedGeneration: 3 } },
  ],
  status: [
    { observedGeneration: 1, typeChecking: {} },
    { typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "w" }] } },
    {
      typeChecking: {
        expressionWarnings: [
          { fieldRef: "spec[", warning: "" },
          { fieldRef: "", warning: "w" },
        ],
      },
    },
    { conditions: [{ type: "Ready", status: "Perhaps" }] },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/failurePolicy", value: "Ignore" }],
    strategic: { spec: { variables: [{ name: "v", expression: "1" }] } },
  },
  otherContent: { spec: { ...spec, failurePolicy: "Ignore" } },
};

const applied = (expression: string): object => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patched = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const mutating = {
  matchConstraints,
  reinvocationPolicy: "Never",
  mutations: [applied("Object{spec: Object.spec{size: 3}}")],
};

export const mutatingAdmissionPolicies: KindRow = {
  label: "MutatingAdmissionPolicy",
  apiVersion,
  kind: "MutatingAdmissionPolicy",
  resource: "mutatingadmissionpolicies",
  isClusterScoped: true,
  minimal: { spec: mutating },
  full: {
    spec: {
      ...mutating,
      failurePolicy: "Ignore",
      reinvocationPolicy: "IfNeeded",
      paramKind,
      matchConditions: [{ name: "on", expression: "params.data.on == 'yes'" }],
      mutations: [
        patched("[JSONPatch{op: 'add', path: '/spec/' + jsonpatch.escapeKey('a/b'), value: params.data}]"),
        applied("Object{metadata: Object.metadata{labels: {'a': 'b'}}}"),
      ],
    },
  },
  invalid: [
    {},
    ...wrongParts.map((part) => ({ spec: { ...mutating, ...part } })),
    { spec: { ...mutating, reinvocationPolicy: "" } },
    { spec: { ...mutating, reinvocationPolicy: "Often" } },
    { spec: { ...mutating, matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } } },
    { spec: { ...mutating, mutations: [] } },
    { spec: { ...mutating, mutations: [{}, { patchType: "Other" }, { patchType: "JSONPatch" }] } },
    {
      spec: { ...mutating, mutations: [{ ...applied("Object{}"), ...patched("[]"), patchType: "ApplyConfiguration" }] },
    },
    { spec: { ...mutating, mutations: [applied("Object.spec{}"), applied("{}"), applied("Object{")] } },
    { spec: { ...mutating, mutations: [patched("[]"), patched("[JSONPatch{op: 1}]"), patched("Object{}")] } },
  ],
  updates: [
    { spec: { failurePolicy: "Ignore" } },
    { spec: { mutations: [applied("Object{x: undefined}")] } },
    { spec: { mutations: [applied("Object{x: variables}")] } },
    { spec: { reinvocationPolicy: "IfNeeded" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/failurePolicy", value: "Ignore" }],
    strategic: { spec: { variables: [{ name: "v", expression: "1" }] } },
  },
  otherContent: { spec: { ...mutating, failurePolicy: "Ignore" } },
};

const bound = { policyName: "nobody.example.com" };

/** Invalid parts that both kinds of bindings have. */
const wrongBindings: readonly object[] = [
  { policyName: "" },
  { policyName: "Bad Name" },
  { paramRef: {} },
  { paramRef: { name: "a/b", selector: {}, parameterNotFoundAction: "Maybe" } },
  { paramRef: { selector: { matchLabels: { a: "b c" } }, parameterNotFoundAction: "Allow" } },
  { matchResources: { matchPolicy: "Loose", resourceRules: [{ ...rule, operations: ["DELETE", "MELT"] }] } },
];

const bindings = (kind: "Validating" | "Mutating", more: object): KindRow => ({
  label: `${kind}AdmissionPolicyBinding`,
  apiVersion,
  kind: `${kind}AdmissionPolicyBinding`,
  resource: `${kind.toLowerCase()}admissionpolicybindings`,
  isClusterScoped: true,
  minimal: { spec: { ...bound, ...more } },
  full: {
    spec: {
      ...bound,
      ...more,
      paramRef: { name: "p", namespace: "default", parameterNotFoundAction: "Deny" },
      matchResources: { resourceRules: [rule], objectSelector: { matchLabels: { a: "b" } } },
    },
  },
  invalid: [
    {},
    ...wrongBindings.map((part) => ({ spec: { ...bound, ...more, ...part } })),
    { spec: { ...bound, validationActions: ["Deny", "Warn", "Warn", "Shout"] } },
    { spec: { ...bound, validationActions: [], policyName: "" } },
  ].slice(0, kind === "Validating" ? undefined : -2),
  updates: [
    { spec: { policyName: "somebody.example.com" } },
    { spec: { policyName: "" } },
    { spec: { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } } },
    { spec: { matchResources: { resourceRules: [rule] } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/policyName", value: "x" }],
    strategic: { spec: { matchResources: { matchPolicy: "Exact" } } },
  },
  otherContent: { spec: { ...bound, ...more, policyName: "other" } },
});

export const validatingAdmissionPolicyBindings: KindRow = bindings("Validating", { validationActions: ["Deny"] });
export const mutatingAdmissionPolicyBindings: KindRow = bindings("Mutating", {});

/** In a version that is not served by default, with fewer invalid objects. */
const older = (row: KindRow, version: string): KindRow => ({
  ...row,
  label: `${row.kind} of ${version}`,
  apiVersion: `admissionregistration.k8s.io/${version}`,
  invalid: row.invalid.slice(0, 5),
});

export const olderAdmissionPolicies: Readonly<Record<string, KindRow>> = Object.fromEntries(
  ["v1beta1", "v1alpha1"].flatMap((version) =>
    [mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings].map((row) => [
      `${row.resource}-${version}`,
      older(row, version),
    ]),
  ),
);
