// CSI storage capacities, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const nodeTopology = { matchLabels: { "example.com/zone": "a" } };

export const csiStorageCapacities: KindRow = {
  label: "CSIStorageCapacity",
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  minimal: { storageClassName: "fast" },
  full: {
    storageClassName: "fast",
    nodeTopology: { matchExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", operator: "Exists" }] },
    capacity: "10Gi",
    maximumVolumeSize: "1Gi",
  },
  invalid: [
    { storageClassName: "" },
    { storageClassName: "Bad Name" },
    { storageClassName: "fast", capacity: "-1" },
    { storageClassName: "fast", capacity: "many" },
    { storageClassName: "fast", nodeTopology: { matchLabels: { "bad key": "x" } } },
  ],
  updates: [
    { capacity: "5Gi" },
    { storageClassName: "slow" },
    { nodeTopology },
    { maximumVolumeSize: "2Gi" },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { capacity: "1Gi" },
    json: [{ op: "replace", path: "/capacity", value: "2Gi" }],
    strategic: { maximumVolumeSize: "1Gi" },
  },
  otherContent: { storageClassName: "fast", capacity: "3Gi" },
};
