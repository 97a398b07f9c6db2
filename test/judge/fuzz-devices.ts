// Parts of resource claims, slices, device classes, taint rules and pod groups for fuzzed requests.

import type { Place } from "./fuzz-kinds.ts";

const GROUP = "/apis/resource.k8s.io";
const IN_NAMESPACE = "namespaces/$ns";
const DRIVER = "gpu.example.com";
const request = { name: "gpu", exactly: { deviceClassName: DRIVER } };
const opaque = { driver: DRIVER, parameters: { kind: "Config" } };
const taint = { key: "example.com/broken", effect: "NoExecute", timeAdded: "2026-01-02T03:04:05Z" };
const condition = {
  type: "Ready",
  status: "True",
  reason: "Up",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};
const result = { request: "gpu", driver: DRIVER, pool: "p", device: "d" };
const labels = [{ "/metadata/labels/more": "1" }, { "/metadata/annotations/more": "1" }];

export const devicePlaces: readonly Place[] = [
  {
    label: "deviceclasses",
    collection: `${GROUP}/v1/deviceclasses`,
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    prefix: "$ns-",
    minimal: { spec: {} },
    options: [
      { "/spec/selectors": [{ cel: { expression: "true" } }] },
      { "/spec/config": [{ opaque }], "/spec/extendedResourceName": "example.com/gpu" },
    ],
    changes: [
      { "/spec/selectors": [{ cel: { expression: 'device.driver == "x"' } }] },
      { "/spec/extendedResourceName": "example.com/other" },
      { "/spec/config": [{ opaque }] },
    ],
    wrong: [
      { "/spec/selectors": [{ cel: { expression: "device.nothing" } }] },
      { "/spec/selectors": [{ cel: { expression: "device.driver" } }] },
      { "/spec/selectors": [{}] },
      { "/spec/config": [{ opaque: { driver: "", parameters: 1 } }] },
      { "/spec/extendedResourceName": "cpu" },
      { "/spec/selectors": "x" },
    ],
    strategic: [{ spec: { extendedResourceName: "example.com/strategic" } }],
  },
  {
    label: "resourceclaims",
    collection: `${GROUP}/v1/${IN_NAMESPACE}/resourceclaims`,
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    minimal: { spec: { devices: { requests: [request] } } },
    options: [
      { "/spec/devices/requests/0/exactly/count": 3 },
      { "/spec/devices/requests/0/exactly/allocationMode": "All" },
      { "/spec/devices/constraints": [{ matchAttribute: `${DRIVER}/numa` }] },
      { "/spec/devices/config": [{ requests: ["gpu"], opaque }] },
    ],
    changes: labels,
    wrong: [
      { "/spec/devices/requests/0/exactly/count": -1 },
      { "/spec/devices/requests/0/exactly/deviceClassName": "Bad Name" },
      { "/spec/devices/requests/0/exactly/adminAccess": true },
      { "/spec/devices/requests/0/exactly/tolerations": [{ operator: "Like" }] },
      { "/spec/devices/constraints": [{ requests: ["none"] }] },
      { "/spec/devices/requests": [request, request] },
    ],
    status: [
      { "/status": { allocation: { devices: { results: [result] } } } },
      { "/status": {} },
      {
        "/status": {
          allocation: { devices: { results: [result] } },
          reservedFor: [{ resource: "pods", name: "p", uid: "1" }],
          devices: [{ driver: DRIVER, pool: "p", device: "d", conditions: [condition] }],
        },
      },
    ],
    wrongStatus: [
      { "/status": { reservedFor: [{ resource: "pods", name: "p", uid: "1" }] } },
      { "/status": { allocation: { devices: { results: [{ ...result, request: "none" }] } } } },
      { "/status": { allocation: { devices: { results: [{ ...result, shareID: "1" }] } } } },
    ],
    strategic: [{ metadata: { labels: { s: "1" } } }],
  },
  {
    label: "resourceclaimtemplates",
    collection: `${GROUP}/v1/${IN_NAMESPACE}/resourceclaimtemplates`,
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    minimal: { spec: { spec: { devices: { requests: [request] } } } },
    options: [{ "/spec/metadata": { labels: { a: "b" } } }, { "/spec/spec/devices/requests/0/exactly/count": 3 }],
    changes: labels,
    wrong: [
      { "/spec/spec/devices/requests/0/exactly/count": -1 },
      { "/spec/metadata": { name: "own" } },
      { "/spec/spec/devices/requests": [{ name: "gpu" }] },
      { "/spec/spec/devices/requests": [request, request] },
    ],
    strategic: [{ metadata: { labels: { s: "1" } } }],
  },
  {
    label: "resourceslices",
    collection: `${GROUP}/v1/resourceslices`,
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    prefix: "$ns-",
    minimal: {
      spec: { driver: DRIVER, pool: { name: "$name", generation: 1, resourceSliceCount: 1 }, nodeName: "$name" },
    },
    options: [
      { "/spec/devices": [{ name: "gpu-0", attributes: { model: { string: "A" } } }] },
      { "/spec/devices": [{ name: "gpu-0", taints: [taint], capacity: { memory: { value: "1Gi" } } }] },
      { "/spec/sharedCounters": [{ name: "set", counters: { c: { value: "1" } } }] },
    ],
    changes: [
      { "/spec/pool/generation": 2 },
      { "/spec/devices": [{ name: "gpu-1" }] },
      { "/spec/pool/resourceSliceCount": 3 },
    ],
    wrong: [
      { "/spec/driver": "Bad_Name" },
      { "/spec/nodeName": "other" },
      { "/spec/allNodes": true },
      { "/spec/pool/generation": -1 },
      { "/spec/devices": [{ name: "gpu-0", attributes: { "a-b": { int: 1 } } }] },
      { "/spec/devices": [{ name: "gpu-0", attributes: { a: { int: 1, bool: true } } }] },
      { "/spec/devices": [{ name: "Bad_Name", bindingConditions: ["a"] }] },
    ],
    strategic: [{ spec: { pool: { generation: 4 } } }],
    fieldSelectors: [`spec.driver=${DRIVER}`, "spec.nodeName=a", "spec.nodeName!=a"],
  },
  {
    label: "devicetaintrules",
    collection: `${GROUP}/v1beta2/devicetaintrules`,
    apiVersion: "resource.k8s.io/v1beta2",
    kind: "DeviceTaintRule",
    prefix: "$ns-",
    minimal: { spec: { taint } },
    options: [{ "/spec/deviceSelector": { driver: DRIVER } }, { "/spec/taint/value": "yes" }],
    changes: [{ "/spec/taint/value": "no" }, { "/spec/deviceSelector": { pool: "a/b" } }],
    wrong: [
      { "/spec/taint/effect": "Some" },
      { "/spec/taint/key": "bad key" },
      { "/spec/deviceSelector": { device: "Bad_Name" } },
      { "/spec/taint": "x" },
    ],
    status: [{ "/status/conditions": [condition] }, { "/status": {} }],
    wrongStatus: [{ "/status/conditions": [{ ...condition, reason: "" }] }],
    strategic: [{ spec: { taint: { value: "strategic" } } }],
  },
  {
    label: "resourcepoolstatusrequests",
    collection: `${GROUP}/v1alpha3/resourcepoolstatusrequests`,
    apiVersion: "resource.k8s.io/v1alpha3",
    kind: "ResourcePoolStatusRequest",
    prefix: "$ns-",
    needsVersion: true,
    minimal: { spec: { driver: DRIVER } },
    options: [{ "/spec/limit": 7 }, { "/spec/poolName": "a/b" }],
    changes: labels,
    wrong: [{ "/spec/limit": 0 }, { "/spec/driver": "Bad_Name" }, { "/spec/poolName": "a//b" }, { "/spec": "x" }],
    status: [{ "/status": { poolCount: 0, conditions: [{ ...condition, type: "Complete" }] } }],
    wrongStatus: [{ "/status": { poolCount: -1 } }],
    strategic: [{ metadata: { labels: { s: "1" } } }],
  },
  {
    label: "podgroups",
    collection: `/apis/scheduling.k8s.io/v1alpha2/${IN_NAMESPACE}/podgroups`,
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    minimal: { spec: { schedulingPolicy: { basic: {} } } },
    options: [
      { "/spec/schedulingPolicy": { gang: { minCount: 2 } } },
      {
        "/spec/podGroupTemplateRef": { workload: { workloadName: "w", podGroupTemplateName: "t" } },
      },
    ],
    changes: labels,
    wrong: [
      { "/spec/schedulingPolicy": { gang: { minCount: 0 } } },
      { "/spec/schedulingPolicy": {} },
      { "/spec/podGroupTemplateRef": {} },
      { "/spec/schedulingPolicy": "x" },
    ],
    status: [{ "/status/conditions": [condition] }, { "/status": {} }],
    wrongStatus: [{ "/status/conditions": [{ ...condition, reason: "" }] }],
    strategic: [{ metadata: { labels: { s: "1" } } }],
  },
  {
    label: "workloads",
    collection: `/apis/scheduling.k8s.io/v1alpha2/${IN_NAMESPACE}/workloads`,
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "Workload",
    minimal: { spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: { basic: {} } }] } },
    options: [{ "/spec/controllerRef": { apiGroup: "batch", kind: "Job", name: "j" } }],
    changes: labels,
    wrong: [
      { "/spec/podGroupTemplates": [] },
      { "/spec/podGroupTemplates/0/name": "Bad_Name" },
      { "/spec/podGroupTemplates/0/schedulingPolicy": { gang: { minCount: 0 } } },
      { "/spec/controllerRef": { kind: "", name: "" } },
    ],
    strategic: [{ metadata: { labels: { s: "1" } } }],
  },
];
