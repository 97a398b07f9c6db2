// Device taint rules and resource pool status requests, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const taint = { key: "example.com/broken", effect: "NoExecute", timeAdded: "2026-01-02T03:04:05Z" };
const condition = {
  type: "EvictionInProgress",
  status: "True",
  reason: "PodsPendingEviction",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};

export const deviceTaintRules: KindRow = {
  label: "DeviceTaintRule",
  apiVersion: "resource.k8s.io/v1beta2",
  kind: "DeviceTaintRule",
  resource: "devicetaintrules",
  isClusterScoped: true,
  minimal: { spec: { taint } },
  full: { spec: { deviceSelector: { driver: "gpu.example.com", pool: "a/b", device: "gpu-0" }, taint } },
  invalid: [
    { spec: { taint: { key: "", effect: "" } } },
    { spec: { taint: { ...taint, effect: "Some" } } },
    { spec: { taint: { ...taint, value: "bad value" } } },
    { spec: { taint, deviceSelector: { driver: "Bad_Name" } } },
    { spec: { taint, deviceSelector: { pool: "a//b", device: "Bad_Name" } } },
    { metadata: { name: "Bad Name" }, spec: { taint } },
  ],
  updates: [
    { spec: { taint: { value: "yes" } } },
    { spec: { taint: { effect: "Some" } } },
    { spec: { deviceSelector: { driver: "gpu.example.com" } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [condition] },
    { conditions: [{ ...condition, status: "Some", reason: "" }] },
    { conditions: Array.from({ length: 9 }, (_, i) => ({ ...condition, type: `T${i}` })) },
    { conditions: [{ ...condition, status: "False" }] },
  ],
  patches: {
    merge: { spec: { taint: { value: "a" } } },
    json: [{ op: "replace", path: "/spec/taint/value", value: "b" }],
    strategic: { spec: { taint: { key: "example.com/other" } } },
  },
  otherContent: { spec: { taint: { ...taint, value: "other" } } },
};

export const olderDeviceTaintRules: KindRow = { ...deviceTaintRules, apiVersion: "resource.k8s.io/v1alpha3" };

const complete = { ...condition, type: "Complete", reason: "CalculationComplete" };
const poolStatus = { driver: "gpu.example.com", poolName: "p", generation: 1, resourceSliceCount: 1 };

export const resourcePoolStatusRequests: KindRow = {
  label: "ResourcePoolStatusRequest",
  apiVersion: "resource.k8s.io/v1alpha3",
  kind: "ResourcePoolStatusRequest",
  resource: "resourcepoolstatusrequests",
  isClusterScoped: true,
  minimal: { spec: { driver: "gpu.example.com" } },
  full: { spec: { driver: "gpu.example.com", poolName: "a/b", limit: 7 } },
  invalid: [
    { spec: {} },
    { spec: { driver: "Bad_Name" } },
    { spec: { driver: "gpu.example.com", poolName: "a//b" } },
    { spec: { driver: "gpu.example.com", limit: 0 } },
    { spec: { driver: "gpu.example.com", limit: 1001 } },
    { metadata: { name: "Bad Name" }, spec: { driver: "gpu.example.com" } },
  ],
  updates: [
    { spec: { limit: 7 } },
    { spec: { driver: "other.example.com" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { poolCount: -1 },
    { conditions: [complete] },
    { poolCount: 1, pools: [{ ...poolStatus, generation: 0, resourceSliceCount: 0, totalDevices: -1 }] },
    {
      poolCount: 1,
      pools: [{ ...poolStatus, totalDevices: 2, allocatedDevices: 1, availableDevices: 1, unavailableDevices: 0 }],
      conditions: [complete],
    },
    { poolCount: 2, conditions: [complete] },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { metadata: { name: "$ns-a", annotations: { other: "1" } }, spec: { driver: "gpu.example.com" } },
};
