// Persistent volumes, as the real server judges them. Admission gives each a finalizer.

import type { KindRow } from "../kind-row.ts";

const csi = { driver: "hostpath.csi.example.com", volumeHandle: "v" };
const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi };
const affinity = (key: string, values: readonly string[]): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] },
});

export const persistentVolumes: KindRow = {
  label: "PersistentVolume",
  apiVersion: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  isClusterScoped: true,
  minimal: { spec },
  full: {
    spec: {
      ...spec,
      capacity: { storage: "2000M" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "gold",
      volumeMode: "Block",
      volumeAttributesClassName: "fast",
      mountOptions: ["ro"],
      claimRef: { namespace: "default", name: "data" },
      nodeAffinity: affinity("kubernetes.io/hostname", ["node-a"]),
    },
  },
  invalid: [
    {},
    { spec: { ...spec, accessModes: [] } },
    { spec: { ...spec, accessModes: ["ReadWriteOncePod", "ReadWriteOnce", "Other"] } },
    { spec: { ...spec, capacity: { storage: "-1Gi" } } },
    { spec: { ...spec, capacity: { storage: "1Gi", cpu: "1" } } },
    { spec: { ...spec, csi: undefined } },
    { spec: { ...spec, nfs: { server: "s", path: "/x" } } },
    { spec: { ...spec, csi: { driver: "bad driver", volumeHandle: "" } } },
    { spec: { ...spec, persistentVolumeReclaimPolicy: "Keep" } },
    { spec: { ...spec, storageClassName: "Bad Name", volumeMode: "Other", volumeAttributesClassName: "" } },
    { spec: { ...spec, nodeAffinity: {} } },
    { spec: { ...spec, csi: undefined, local: { path: "/mnt/../x" } } },
    { spec: { ...spec, csi: undefined, hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" } },
    {
      metadata: { name: "x", annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } },
      spec: { ...spec, csi: undefined, hostPath: { path: "/x" } },
    },
  ],
  updates: [
    { spec: { capacity: { storage: "2Gi" } } },
    { spec: { csi: { volumeHandle: "other" } } },
    { spec: { csi: { controllerExpandSecretRef: { name: "s", namespace: "default" } } } },
    { spec: { volumeMode: "Block" } },
    { spec: { nodeAffinity: affinity("failure-domain.beta.kubernetes.io/zone", ["a"]) } },
    { spec: { nodeAffinity: affinity("topology.kubernetes.io/zone", ["a"]) } },
    { spec: { nodeAffinity: affinity("topology.kubernetes.io/zone", ["b"]) } },
    { spec: { persistentVolumeReclaimPolicy: "Recycle" } },
    { metadata: { labels: { a: "b" } } },
  ],
  status: [{ phase: "Available" }, { phase: "Failed", message: "no", reason: "Why" }, { phase: 1 }],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/capacity/storage", value: "3Gi" }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { spec: { ...spec, capacity: { storage: "2Gi" } } },
};
