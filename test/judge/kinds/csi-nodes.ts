// CSI nodes, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const driver = { name: "hostpath.csi.example.com", nodeID: "i-1" };

export const csiNodes: KindRow = {
  label: "CSINode",
  apiVersion: "storage.k8s.io/v1",
  kind: "CSINode",
  resource: "csinodes",
  isClusterScoped: true,
  minimal: { spec: { drivers: [driver] } },
  full: { spec: { drivers: [{ ...driver, topologyKeys: ["example.com/zone"], allocatable: { count: 3 } }] } },
  invalid: [
    { spec: {} },
    { spec: { drivers: [driver, driver] } },
    { spec: { drivers: [{ ...driver, nodeID: "" }] } },
    { spec: { drivers: [{ ...driver, name: "Bad_name" }] } },
    { spec: { drivers: [{ ...driver, topologyKeys: ["a", "a", ""] }] } },
    { spec: { drivers: [{ ...driver, allocatable: { count: -1 } }] } },
    { metadata: { name: "Bad Name" }, spec: { drivers: [] } },
  ],
  updates: [
    { spec: { drivers: [{ ...driver, nodeID: "i-2" }] } },
    { spec: { drivers: [{ ...driver, allocatable: { count: 5 } }] } },
    { spec: { drivers: [driver, { name: "other.example.com", nodeID: "o" }] } },
    { spec: { drivers: [] } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/spec/drivers/-", value: { name: "json.example.com", nodeID: "j" } }],
    strategic: { spec: { drivers: [{ name: "strategic.example.com", nodeID: "s" }] } },
  },
  otherContent: { spec: { drivers: [{ name: "other.example.com", nodeID: "o" }] } },
};
