// Storage classes, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const provisioner = "hostpath.csi.example.com";
const zone = "topology.kubernetes.io/zone";
const term = (...values: readonly string[]): object => ({ matchLabelExpressions: [{ key: zone, values }] });

export const storageClasses: KindRow = {
  label: "StorageClass",
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  resource: "storageclasses",
  isClusterScoped: true,
  minimal: { provisioner },
  full: {
    provisioner,
    parameters: { tier: "gold" },
    reclaimPolicy: "Retain",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
    mountOptions: ["ro"],
    allowedTopologies: [term("a", "b"), { matchLabelExpressions: [{ key: "beta.kubernetes.io/os", values: ["x"] }] }],
  },
  invalid: [
    {},
    { provisioner: "bad name" },
    { provisioner, reclaimPolicy: "Recycle" },
    { provisioner, volumeBindingMode: "Later" },
    { provisioner, parameters: { "": "x" } },
    { provisioner, allowedTopologies: [term("a", "b"), term("b", "a")] },
    { provisioner, allowedTopologies: [term("a", "a"), { matchLabelExpressions: [{ key: "bad key", values: [] }] }] },
    { provisioner, allowedTopologies: [{}] },
  ],
  updates: [
    { provisioner: "other.example.com" },
    { parameters: { tier: "silver" } },
    { reclaimPolicy: "Retain" },
    { volumeBindingMode: "WaitForFirstConsumer" },
    { allowVolumeExpansion: true },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "false" } } },
    json: [{ op: "add", path: "/mountOptions", value: ["ro"] }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { provisioner, allowVolumeExpansion: true },
};
