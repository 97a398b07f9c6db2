// Persistent volume claims, as the real server judges them. Admission gives each a finalizer.

import type { KindRow } from "../kind-row.ts";

const resources = { requests: { storage: "1Gi" } };
const spec = { accessModes: ["ReadWriteOnce"], resources };
const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };

export const persistentVolumeClaims: KindRow = {
  label: "PersistentVolumeClaim",
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  minimal: { spec },
  full: {
    spec: {
      ...spec,
      storageClassName: "gold",
      volumeMode: "Block",
      volumeName: "v",
      volumeAttributesClassName: "fast",
      selector: { matchLabels: { a: "b" } },
      dataSource: snapshot,
    },
  },
  invalid: [
    {},
    { spec: { ...spec, accessModes: [] } },
    { spec: { ...spec, accessModes: ["ReadWriteOncePod", "ReadWriteMany"] } },
    { spec: { ...spec, resources: {} } },
    { spec: { ...spec, resources: { requests: { storage: "0" } } } },
    { spec: { ...spec, storageClassName: "Bad Name", volumeMode: "Other" } },
    { spec: { ...spec, selector: { matchLabels: { a: "not a value" } } } },
    { spec: { ...spec, dataSourceRef: { kind: "Other", name: "" } } },
    { spec: { ...spec, dataSource: snapshot, dataSourceRef: { ...snapshot, name: "t" } } },
    { spec: { ...spec, volumeAttributesClassName: "Bad Name" } },
  ],
  updates: [
    { spec: { volumeName: "v" } },
    { spec: { volumeName: "w" } },
    { spec: { dataSource: { kind: "PersistentVolumeClaim", name: "other" } } },
    { spec: { storageClassName: "gold" } },
    { spec: { storageClassName: "silver" } },
    { spec: { resources: { requests: { storage: "2Gi" } } } },
    { spec: { accessModes: ["ReadOnlyMany"] } },
    { spec: { volumeMode: "Block" } },
    { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "old" } } },
    { metadata: { labels: { a: "b" } } },
  ],
  status: [
    { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
    { allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage: "NodeResizePending" } },
    { allocatedResources: { cpu: "1" }, allocatedResourceStatuses: { storage: "Other", "bad name": "x" } },
    { capacity: { storage: "-1" } },
    { conditions: [{ type: "Resizing", status: "True" }] },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { x: "y" } }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { spec: { ...spec, volumeName: "v" } },
};
