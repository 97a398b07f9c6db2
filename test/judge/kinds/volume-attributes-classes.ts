// Volume attributes classes, as the real server judges them. Admission gives each a finalizer.

import type { KindRow } from "../kind-row.ts";

const driverName = "hostpath.csi.example.com";

export const volumeAttributesClasses: KindRow = {
  label: "VolumeAttributesClass",
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttributesClass",
  resource: "volumeattributesclasses",
  isClusterScoped: true,
  minimal: { driverName, parameters: { iops: "1000" } },
  full: { driverName: "Other.Example.com/Driver", parameters: { iops: "1000", tier: "gold" } },
  invalid: [
    { driverName },
    { driverName, parameters: {} },
    { driverName: "", parameters: { a: "b" } },
    { driverName: "bad driver", parameters: { a: "b" } },
    { driverName, parameters: { "": "b" } },
    { driverName, parameters: { a: 1 } },
  ],
  updates: [
    { parameters: { iops: "2000" } },
    { driverName: "other.example.com" },
    { parameters: null },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/parameters/iops", value: "5" }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { driverName, parameters: { iops: "1000", tier: "gold" } },
};
