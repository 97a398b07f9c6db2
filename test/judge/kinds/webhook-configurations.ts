// Webhook configurations, as the real server judges them. Their webhooks are never called: they have no rules, or rules
// that match no request.

import type { KindRow } from "../kind-row.ts";

const clientConfig = { url: "https://example.com/hook" };
const hook = { name: "a.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], clientConfig };
const rule = { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] };
const service = { name: "hook", namespace: "default" };

const changes: readonly object[] = [
  { name: "" },
  { name: "a.b" },
  { name: "Bad Name" },
  { sideEffects: undefined },
  { sideEffects: "Some" },
  { admissionReviewVersions: [] },
  { admissionReviewVersions: ["v9", "v9", "Bad Version"] },
  { failurePolicy: "Maybe", matchPolicy: "Loose", timeoutSeconds: 31 },
  { timeoutSeconds: 0, namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
  { objectSelector: { matchLabels: { a: "b c" } } },
  { rules: [{}] },
  { rules: [{ ...rule, operations: ["*", "MELT"], apiGroups: ["*", "x"], resources: ["*", "pods", ""], scope: "x" }] },
  { rules: [{ ...rule, apiVersions: ["*", "v1"], resources: ["*/scale", "pods/scale"] }] },
  { clientConfig: {} },
  { clientConfig: { ...clientConfig, service } },
  { clientConfig: { url: "http://user:word@/path?query=1#part" } },
  { clientConfig: { url: "https://host:port/" } },
  { clientConfig: { url: "https://host/%zz" } },
  { clientConfig: { service: { name: "", namespace: "", port: 70_000, path: "x//Y/" } } },
  { clientConfig: { service: { ...service, path: "//" } } },
  { clientConfig: { url: "https://example.com", caBundle: "no base64" } },
  { matchConditions: [{ name: "a", expression: "params.x" }] },
  {
    matchConditions: [
      { name: "a b", expression: "request.name" },
      { name: "c", expression: "object.x ==" },
      { name: "c", expression: "true" },
    ],
  },
];

const configurations = (kind: "Validating" | "Mutating"): KindRow => ({
  label: `${kind}WebhookConfiguration`,
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: `${kind}WebhookConfiguration`,
  resource: `${kind.toLowerCase()}webhookconfigurations`,
  isClusterScoped: true,
  minimal: { webhooks: [hook] },
  full: {
    webhooks: [
      {
        ...hook,
        clientConfig: { service, caBundle: "eA==" },
        rules: [{ ...rule, scope: "Namespaced" }],
        failurePolicy: "Ignore",
        matchPolicy: "Exact",
        timeoutSeconds: 5,
        matchConditions: [
          { name: "a", expression: "has(object.spec) && authorizer.path('/x').check('get').allowed()" },
        ],
        ...(kind === "Mutating" && { reinvocationPolicy: "IfNeeded" }),
      },
      { ...hook, name: "b.example.com", admissionReviewVersions: ["v9", "v1beta1"] },
    ],
  },
  invalid: [
    ...changes.map((change) => ({ webhooks: [{ ...hook, ...change }] })),
    { webhooks: [hook, hook] },
    ...(kind === "Mutating" ? [{ webhooks: [{ ...hook, reinvocationPolicy: "Often" }] }] : []),
  ],
  updates: [
    { webhooks: [{ ...hook, failurePolicy: "Ignore" }] },
    { webhooks: [{ ...hook, sideEffects: "Unknown" }] },
    { webhooks: [hook, { ...hook, name: "b.example.com" }] },
    { webhooks: [{ ...hook, matchConditions: [{ name: "a", expression: "object" }] }] },
    { metadata: { labels: { a: "b" }, generation: 9 } },
    { webhooks: null },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/webhooks/0/timeoutSeconds", value: 7 }],
    strategic: { webhooks: [{ name: "a.example.com", timeoutSeconds: 8 }] },
  },
  otherContent: { webhooks: [{ ...hook, failurePolicy: "Ignore" }] },
});

export const validatingWebhookConfigurations: KindRow = configurations("Validating");
export const mutatingWebhookConfigurations: KindRow = configurations("Mutating");
