// Service account tokens, and reviews of tokens and access.

import type { JudgeCase, Step } from "./case.ts";

const NS = "/api/v1/namespaces/$ns";
const TOKEN = `${NS}/serviceaccounts/robot/token`;
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const RIGHTS = "/apis/authorization.k8s.io/v1";

const get = (target: string): Step => ({ method: "GET", target });
const post = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "POST",
  target,
  body,
  ...more,
});
const del = (target: string): Step => ({ method: "DELETE", target });

const account = (name: string): Step =>
  post(`${NS}/serviceaccounts`, { metadata: { name } }, { capture: { uid: "metadata.uid" } });
const keep = { capture: { token: "status.token" } };
const review = (more: object = {}): Step => post(REVIEWS, { spec: { token: "$token", ...more } });
const bound = (ref: object, more: object = {}): object => ({ spec: { boundObjectRef: ref, ...more } });

const tokenCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.2.r5 a token says whose it is, for whom and for how long",
    steps: [
      account("robot"),
      post(TOKEN, {}, keep),
      review(),
      post(TOKEN, { spec: { audiences: ["a", "b"], expirationSeconds: 600 } }, keep),
      review(),
      review({ audiences: ["b", "c"] }),
      review({ audiences: ["c", "d"] }),
      post(TOKEN, { metadata: { uid: "$uid" }, spec: { expirationSeconds: 86400 } }),
      post(`${TOKEN}?dryRun=All`, {}),
    ],
  },
  {
    name: "machinery/7.2.r5 token requests that do not fit are refused",
    steps: [
      account("robot"),
      post(TOKEN, { metadata: { name: "other" } }),
      post(TOKEN, { metadata: { namespace: "other" } }),
      post(TOKEN, { metadata: { uid: "11111111-2222-3333-4444-555555555555" } }),
      post(`${NS}/serviceaccounts/none/token`, {}),
      post(TOKEN, { spec: { expirationSeconds: 599 } }),
      post(TOKEN, { spec: { expirationSeconds: 4294967297 } }),
      post(TOKEN, bound({ kind: "Pod", apiVersion: "v1", name: "none" })),
      post(TOKEN, bound({ kind: "Secret", apiVersion: "v1", name: "none" })),
      post(TOKEN, bound({ kind: "Node", apiVersion: "v1", name: "none" })),
      post(TOKEN, bound({ kind: "ConfigMap", apiVersion: "v1", name: "none" })),
      post(TOKEN, bound({ kind: "Deployment", apiVersion: "apps/v1", name: "none" })),
      post(TOKEN, { apiVersion: "v1", kind: "TokenRequest" }),
      get(TOKEN),
    ],
  },
  {
    name: "machinery/7.2.r5 a bound token ends with what it is bound to",
    steps: [
      account("robot"),
      account("default"),
      post("/api/v1/nodes", { metadata: { name: "$ns-n" } }),
      ...["pod", "placed"].map((name) =>
        post(`${NS}/pods`, {
          metadata: { name },
          spec: {
            serviceAccountName: "robot",
            terminationGracePeriodSeconds: 0,
            containers: [{ name: "a", image: "example/a:1" }],
            ...(name === "placed" ? { nodeName: "$ns-n" } : {}),
          },
        }),
      ),
      post(`${NS}/pods`, { metadata: { name: "other" }, spec: { containers: [{ name: "a", image: "example/a:1" }] } }),
      post(TOKEN, bound({ kind: "Pod", apiVersion: "v1", name: "other" })),
      post(TOKEN, bound({ kind: "Pod", apiVersion: "v1", name: "pod", uid: "11111111-2222-3333-4444-555555555555" })),
      post(TOKEN, bound({ kind: "Pod", apiVersion: "v1", name: "placed" }, { expirationSeconds: 3607 })),
      post(TOKEN, bound({ kind: "Node", apiVersion: "v1", name: "$ns-n" })),
      post(TOKEN, bound({ kind: "Pod", apiVersion: "v1", name: "pod" }, { expirationSeconds: 3607 }), keep),
      review(),
      post(`${NS}/secrets`, { metadata: { name: "s" } }),
      post(TOKEN, bound({ kind: "Secret", apiVersion: "v1", name: "s" }), keep),
      review(),
    ],
  },
  {
    name: "machinery/7.2.r7 a token review says whether a token counts, and why not",
    steps: [
      post(REVIEWS, { spec: { token: "nobody" } }),
      post(REVIEWS, { spec: { token: "a.b.c" } }),
      post(REVIEWS, { spec: {} }),
      post(REVIEWS, { metadata: { name: "named" }, spec: { token: "nobody", audiences: ["x"] } }),
      get(REVIEWS),
      del(`${REVIEWS}/named`),
    ],
  },
];

const resource = { verb: "get", resource: "pods" };
const local = `${RIGHTS}/namespaces/$ns/localsubjectaccessreviews`;

const rightsCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.2.r7 access reviews ask about anybody, and refuse what is no question",
    steps: [
      post(`${RIGHTS}/subjectaccessreviews`, { spec: { user: "bob", resourceAttributes: resource } }),
      post(`${RIGHTS}/subjectaccessreviews`, { spec: { groups: ["system:masters"], resourceAttributes: resource } }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: { user: "bob", nonResourceAttributes: { path: "/metrics", verb: "get" } },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, { spec: {} }),
      post(`${RIGHTS}/subjectaccessreviews`, { metadata: { name: "a" }, spec: {} }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        metadata: { labels: { a: "b" } },
        spec: { user: "bob", resourceAttributes: resource },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: { user: "bob", resourceAttributes: resource, nonResourceAttributes: { path: "/x", verb: "get" } },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: {
          user: "bob",
          resourceAttributes: { ...resource, fieldSelector: {}, labelSelector: { rawSelector: "a", requirements: [] } },
        },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: {
          user: "bob",
          resourceAttributes: {
            ...resource,
            fieldSelector: { rawSelector: "a=b", requirements: [{ key: "", operator: "In" }] },
            labelSelector: { requirements: [{ key: "a b", operator: "Exists", values: ["-"] }] },
          },
        },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: {
          groups: ["system:masters"],
          resourceAttributes: {
            ...resource,
            fieldSelector: { requirements: [{ key: "a", operator: "Exists" }] },
            labelSelector: { rawSelector: "a in (" },
          },
        },
      }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: { resourceAttributes: resource } }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: {} }),
      post(local, { spec: { user: "bob", resourceAttributes: { ...resource, namespace: "$ns" } } }),
      post(local, { spec: { user: "bob", resourceAttributes: { ...resource, namespace: "other" } } }),
      post(local, { spec: { user: "bob", nonResourceAttributes: { path: "/x", verb: "get" } } }),
      post(local, { metadata: { namespace: "other" }, spec: { user: "bob", resourceAttributes: resource } }),
      post(`${RIGHTS}/selfsubjectrulesreviews`, { spec: {} }),
    ],
  },
];

export const accountCases: readonly JudgeCase[] = [...tokenCases, ...rightsCases];
