// Resource claims and their templates, as the real server judges them, in the version that is served by default and in
// an older one.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { applyYaml, del, get, merge, patch, post, put } from "../steps.ts";

const CLASS = "gpu.example.com";
const exact = (more: object = {}): object => ({ name: "gpu", exactly: { deviceClassName: CLASS, ...more } });
const alternatives = {
  name: "nic",
  firstAvailable: [
    { name: "fast", deviceClassName: "fast.example.com" },
    { name: "slow", deviceClassName: "slow.example.com", allocationMode: "All" },
  ],
};
const of = (...requests: readonly object[]): { readonly devices: object } => ({ devices: { requests } });
const selecting = (expression: string): object => exact({ selectors: [{ cel: { expression } }] });
const opaque = { driver: CLASS, parameters: { kind: "Config" } };
const constrained = (constraint: object): object => ({
  devices: { requests: [exact(), alternatives], constraints: [constraint] },
});

const full = {
  devices: {
    requests: [
      exact({
        selectors: [{ cel: { expression: `device.driver == "${CLASS}"` } }],
        count: 2,
        tolerations: [{ key: "example.com/broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 3 }],
        capacity: { requests: { memory: "10Gi" } },
      }),
      alternatives,
    ],
    constraints: [{ requests: ["gpu", "nic/fast"], matchAttribute: `${CLASS}/numa` }],
    config: [{ requests: ["gpu"], opaque }],
  },
};

/** Specs that are refused. */
const invalidSpecs: readonly object[] = [
  of({ name: "gpu" }),
  of({ ...exact(), ...alternatives }),
  of({ ...exact(), name: "Bad_Name" }),
  of(exact(), exact()),
  of(exact({ deviceClassName: "" })),
  of(exact({ allocationMode: "Some" })),
  of(exact({ allocationMode: "All", count: 3 })),
  of(exact({ count: -1 })),
  of(exact({ tolerations: [{ operator: "Like" }, { operator: "Exists", value: "x" }, { key: "bad key" }] })),
  of(exact({ adminAccess: true })),
  of(selecting("device.nothing == 1")),
  of(selecting("device.driver")),
  of({
    ...alternatives,
    firstAvailable: Array.from({ length: 9 }, (_, i) => ({ name: `n${i}`, deviceClassName: "c" })),
  }),
  constrained({ requests: ["none", "nic/none", "a/b/c"], matchAttribute: `${CLASS}/numa` }),
  constrained({ matchAttribute: "numa" }),
  constrained({}),
  { devices: { requests: [exact()], config: [{ requests: ["gpu", "gpu"] }] } },
  { devices: { requests: [exact()], config: [{ opaque: { driver: "", parameters: "text" } }] } },
];

const allocation = (more: object = {}): object => ({
  devices: { results: [{ request: "gpu", driver: CLASS, pool: "node-1", device: "gpu-0", ...more }] },
});
const pod = { resource: "pods", name: "p", uid: "1" };
const device = { driver: CLASS, pool: "node-1", device: "gpu-0" };

export const resourceClaimRow: KindRow = {
  label: "ResourceClaim",
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  resource: "resourceclaims",
  minimal: { spec: of(exact()) },
  full: { spec: full },
  invalid: [...invalidSpecs.map((spec) => ({ spec })), { metadata: { name: "Bad Name" }, spec: {} }],
  updates: [
    { spec: of(exact({ count: 2 })) },
    { spec: full },
    { spec: null },
    { metadata: { labels: { a: "b" }, generation: 9, finalizers: ["resource.kubernetes.io/delete-protection"] } },
  ],
  status: [
    { allocation: allocation({ request: "none" }) },
    { reservedFor: [pod] },
    { allocation: allocation({ driver: "", pool: "", device: "Bad", shareID: "1" }) },
    { allocation: allocation({ bindingConditions: ["ready"] }) },
    { allocation: allocation({ adminAccess: true }) },
    { allocation: allocation(), reservedFor: [pod, { ...pod, name: "" }] },
    { allocation: allocation(), reservedFor: [pod], devices: [{ ...device, device: "other" }] },
    {
      allocation: allocation(),
      reservedFor: [pod],
      devices: [
        {
          ...device,
          data: { some: "data" },
          networkData: { interfaceName: "eth0", ips: ["10.0.0.5/24"], hardwareAddress: "aa:bb" },
          conditions: [
            { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" },
          ],
        },
      ],
    },
    { devices: [{ ...device, data: [1], networkData: { ips: ["10.0.0.5", "010.0.0.5/24"] } }] },
    { allocation: allocation({ device: "gpu-1" }) },
    { reservedFor: null, allocation: null },
    { allocation: { ...allocation(), nodeSelector: { nodeSelectorTerms: [] } } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: of(exact()) },
};

const ADMIN = "/api/v1/namespaces/$ns";
const V1 = "/apis/resource.k8s.io/v1/namespaces/$ns/resourceclaims";

export const resourceClaims: readonly JudgeCase[] = [
  ...casesOf(resourceClaimRow),
  {
    name: "devices in use are for namespaces with a label",
    steps: [
      post(V1, { metadata: { name: "a" }, spec: of(exact({ adminAccess: true })) }),
      patch(ADMIN, merge, { metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } } }),
      { ...post(V1, { metadata: { name: "a" }, spec: of(exact({ adminAccess: true })) }), awaits: 201 },
      patch(`${V1}/a/status`, merge, { status: { allocation: allocation({ adminAccess: true }) } }),
      get(`${V1}/a`),
    ],
  },
  {
    name: "a claim that is being deleted is not reserved any more",
    steps: [
      post(V1, { metadata: { name: "a", finalizers: ["example.com/hold"] }, spec: of(exact()) }),
      patch(`${V1}/a/status`, merge, { status: { allocation: allocation(), reservedFor: [pod] } }),
      del(`${V1}/a`),
      patch(`${V1}/a/status`, merge, { status: { reservedFor: [pod, { ...pod, name: "q", uid: "2" }] } }),
      patch(`${V1}/a/status`, merge, { status: { reservedFor: null } }),
      patch(`${V1}/a`, merge, { metadata: { finalizers: null } }),
      get(`${V1}/a`),
    ],
  },
];

export const resourceClaimTemplates: KindRow = {
  label: "ResourceClaimTemplate",
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  resource: "resourceclaimtemplates",
  minimal: { spec: { spec: of(exact()) } },
  full: { spec: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: full } },
  invalid: [
    ...invalidSpecs.slice(0, 10).map((spec) => ({ spec: { spec } })),
    { spec: { metadata: { name: "own", labels: { "bad key": "x" } }, spec: of(exact()) } },
    { metadata: { name: "Bad Name" }, spec: {} },
  ],
  updates: [
    { spec: { spec: of(exact({ count: 2 })) } },
    { spec: { metadata: { labels: { a: "c" } } } },
    { spec: { spec: of({ name: "gpu" }) } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: { spec: of(exact()) } },
};

const flat = { name: "gpu", deviceClassName: CLASS };
const flatSpec = (...requests: readonly object[]): object => ({ devices: { requests } });

/** In this version, requests have the fields of a device request directly, beside their alternatives. */
const flatRow: KindRow = {
  ...resourceClaimRow,
  apiVersion: "resource.k8s.io/v1beta1",
  minimal: { spec: flatSpec(flat) },
  full: { spec: { ...full, devices: { ...full.devices, requests: [{ ...flat, count: 2 }, alternatives] } } },
  invalid: [
    { spec: flatSpec({ name: "gpu" }) },
    { spec: flatSpec({ ...flat, ...alternatives }) },
    { spec: flatSpec({ ...flat, allocationMode: "Some" }) },
    { spec: flatSpec({ ...flat, count: -1 }) },
    { spec: flatSpec({ name: "gpu", count: 3 }) },
    { spec: flatSpec({ ...flat, selectors: [{ cel: { expression: "1" } }] }) },
  ],
  updates: [{ spec: flatSpec({ ...flat, count: 2 }) }, { metadata: { labels: { a: "b" } } }],
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: flatSpec(flat) },
};

export const olderResourceClaimTemplates: KindRow = {
  ...resourceClaimTemplates,
  apiVersion: "resource.k8s.io/v1beta1",
  minimal: { spec: { spec: flatSpec(flat) } },
  full: { spec: { metadata: { labels: { a: "b" } }, spec: flatSpec({ ...flat, count: 2 }, alternatives) } },
  invalid: flatRow.invalid.map((content) => ({ spec: content })),
  updates: [{ spec: { spec: flatSpec({ ...flat, count: 2 }) } }, { metadata: { labels: { a: "b" } } }],
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: { spec: flatSpec(flat) } },
};

const BETA1 = V1.replace("/v1/", "/v1beta1/");
const BETA2 = V1.replace("/v1/", "/v1beta2/");

export const olderResourceClaims: readonly JudgeCase[] = [
  ...casesOf(flatRow),
  {
    name: "each version shows what the others wrote",
    steps: [
      post(V1, { metadata: { name: "a" }, spec: full }),
      post(BETA1, { metadata: { name: "b" }, spec: flatSpec({ ...flat, allocationMode: "All" }, alternatives) }),
      post(BETA2, { metadata: { name: "c" }, spec: full }),
      ...[V1, BETA1, BETA2].flatMap((version) => ["a", "b", "c"].map((name) => get(`${version}/${name}`))),
      put(`${BETA1}/c`, { metadata: { name: "c", labels: { via: "v1beta1" } }, spec: flatSpec(flat) }),
      patch(`${BETA1}/b?fieldManager=one`, applyYaml, {
        apiVersion: "resource.k8s.io/v1beta1",
        kind: "ResourceClaim",
        metadata: { name: "b", labels: { via: "apply" } },
      }),
      get(`${V1}/b`),
      get(V1.replace("resourceclaims", "resourceclaimtemplates")),
    ],
  },
];
