// Resource slices, as the real server judges them, in the version that is served by default and in an older one.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { del, get, merge, patch, post } from "../steps.ts";

const DRIVER = "gpu.example.com";
const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
const spec = (more: object = {}): object => ({ driver: DRIVER, pool, nodeName: "node-1", ...more });
const withDevice = (device: object, more: object = {}): object => ({
  spec: spec({ devices: [{ name: "gpu-0", ...device }], ...more }),
});
const shared = (requestPolicy: object): object =>
  withDevice({ allowMultipleAllocations: true, capacity: { memory: { value: "40", requestPolicy } } });
const taint = { key: "example.com/broken", effect: "NoExecute", timeAdded: "2026-01-02T03:04:05Z" };

const basic = {
  attributes: { model: { string: "A100" }, [`${DRIVER}/version`]: { version: "1.2.3" }, slots: { int: 3 } },
  capacity: { memory: { value: "40Gi" } },
  taints: [taint],
  bindsToNode: true,
  bindingConditions: ["ready"],
  bindingFailureConditions: ["broken"],
};

export const resourceSliceRow: KindRow = {
  label: "ResourceSlice",
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  resource: "resourceslices",
  isClusterScoped: true,
  minimal: { spec: spec() },
  full: { spec: spec({ devices: [{ name: "gpu-0", ...basic }, { name: "gpu-1" }] }) },
  invalid: [
    { spec: spec({ nodeName: undefined }) },
    { spec: spec({ nodeName: "" }) },
    { spec: spec({ allNodes: true, nodeSelector: { nodeSelectorTerms: [] } }) },
    { spec: spec({ nodeName: undefined, allNodes: false }) },
    { spec: spec({ driver: "Bad_Name", pool: { name: "a//b", generation: -1, resourceSliceCount: 0 } }) },
    { spec: spec({ devices: [{ name: "Bad_Name" }, { name: "same" }, { name: "same" }] }) },
    { spec: spec({ devices: [{ name: "a" }], sharedCounters: [{ name: "b", counters: { c: { value: "1" } } }] }) },
    { spec: spec({ sharedCounters: [{ name: "", counters: {} }] }) },
    { spec: spec({ devices: Array.from({ length: 129 }, (_, i) => ({ name: `gpu-${i}` })) }) },
    withDevice({ attributes: { "a-b": { int: 1 }, "/x": { int: 1 }, c: {}, d: { int: 1, bool: true } } }),
    withDevice({ attributes: { a: { version: "1.2" }, b: { string: "x".repeat(65) }, list: { strings: ["a"] } } }),
    withDevice({
      attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: i }])),
    }),
    withDevice({ taints: [{ key: "", effect: "Some" }] }),
    withDevice({ nodeName: "node-1" }),
    withDevice({}, { nodeName: undefined, perDeviceNodeSelection: true }),
    withDevice({ bindingConditions: ["a", "a"], bindingFailureConditions: ["a"] }),
    withDevice({ bindingFailureConditions: ["a"] }),
    withDevice({ capacity: { memory: { value: "40", requestPolicy: { default: "1" } } } }),
    shared({ default: "3", validRange: { min: "5", max: "50", step: "7" } }),
    shared({ validValues: ["5", "4", "50"], default: "6" }),
    shared({ validValues: ["5"], validRange: { min: "5" } }),
    withDevice({ consumesCounters: [{ counterSet: "Bad_Name", counters: {} }] }),
    { metadata: { name: "Bad Name" }, spec: spec() },
  ],
  updates: [
    { spec: { pool: { generation: 2 } } },
    { spec: { pool: { name: "other" }, driver: "other.example.com", nodeName: "node-2" } },
    { spec: { nodeName: null, allNodes: true } },
    { spec: { devices: [{ name: "gpu-0", taints: [{ key: "example.com/broken", effect: "Some" }] }] } },
    { spec: { devices: [{ name: "gpu-0", ...basic }] } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { spec: { devices: [{ name: "gpu-0" }] } },
    json: [{ op: "add", path: "/spec/devices/-", value: { name: "gpu-1" } }],
    strategic: { spec: { pool: { generation: 5 } } },
  },
  otherContent: { spec: spec({ pool: { ...pool, generation: 7 } }) },
};

const SLICES = "/apis/resource.k8s.io/v1/resourceslices";

export const resourceSlices: readonly JudgeCase[] = [
  ...casesOf(resourceSliceRow),
  {
    name: "names of drivers in capitals are warned about, and slices are selected by node and driver",
    steps: [
      post(SLICES, { metadata: { name: "$ns-a" }, spec: spec({ driver: "$ns.GPU", nodeName: "$ns-node" }) }),
      get(`${SLICES}?fieldSelector=spec.nodeName%3D$ns-node`),
      get(`${SLICES}?fieldSelector=spec.driver%3D$ns.GPU`),
      get(`${SLICES}?fieldSelector=spec.pool%3Da`),
      patch(`${SLICES}/$ns-a`, merge, { metadata: { labels: { a: "b" } } }),
      del(`${SLICES}/$ns-a`),
    ],
  },
];

const OLDER = SLICES.replace("/v1/", "/v1beta1/");

/** Devices of this version are "basic". */
const olderRow: KindRow = {
  ...resourceSliceRow,
  apiVersion: "resource.k8s.io/v1beta1",
  full: { spec: spec({ devices: [{ name: "gpu-0", basic }, { name: "gpu-1" }] }) },
  invalid: [
    { spec: spec({ nodeName: "" }) },
    { spec: spec({ devices: [{ name: "gpu-0", basic: { attributes: { c: {} } } }] }) },
    { spec: spec({ allNodes: true }) },
    { spec: spec({ pool: { name: "" } }) },
    { spec: spec({ devices: [{ name: "gpu-0", basic: { nodeName: "x" } }] }) },
  ],
  updates: [{ spec: { devices: [{ name: "gpu-0", basic }] } }, { spec: { nodeName: "node-2" } }],
};

export const olderResourceSlices: readonly JudgeCase[] = [
  ...casesOf(olderRow),
  {
    name: "each version shows what the others wrote",
    steps: [
      post(SLICES, { metadata: { name: "$ns-a" }, spec: spec({ devices: [{ name: "gpu-0", ...basic }] }) }),
      post(OLDER, { metadata: { name: "$ns-b" }, spec: spec({ allNodes: false, devices: [{ name: "g", basic }] }) }),
      ...[SLICES, OLDER, SLICES.replace("/v1/", "/v1beta2/")].flatMap((version) => [
        get(`${version}/$ns-a`),
        get(`${version}/$ns-b`),
      ]),
      del(`${SLICES}/$ns-a`),
      del(`${OLDER}/$ns-b`),
    ],
  },
];
