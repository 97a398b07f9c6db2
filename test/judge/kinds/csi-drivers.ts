// CSI drivers, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

export const csiDrivers: KindRow = {
  label: "CSIDriver",
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  isClusterScoped: true,
  minimal: { spec: {} },
  full: {
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: "File",
      requiresRepublish: true,
      seLinuxMount: true,
      volumeLifecycleModes: ["Persistent", "Ephemeral"],
      tokenRequests: [{ audience: "vault", expirationSeconds: 3600 }],
      nodeAllocatableUpdatePeriodSeconds: 60,
      serviceAccountTokenInSecrets: true,
    },
  },
  invalid: [
    { spec: { fsGroupPolicy: "Some" } },
    { spec: { volumeLifecycleModes: ["Never"] } },
    { spec: { tokenRequests: [{ audience: "a" }, { audience: "a" }] } },
    { spec: { tokenRequests: [{ audience: "a", expirationSeconds: 5 }] } },
    { spec: { nodeAllocatableUpdatePeriodSeconds: 9 } },
    { spec: { serviceAccountTokenInSecrets: true } },
    { spec: { attachRequired: "yes" } },
  ],
  updates: [
    { spec: { attachRequired: false } },
    { spec: { volumeLifecycleModes: ["Ephemeral"] } },
    { spec: { podInfoOnMount: true } },
    { spec: { tokenRequests: [{ audience: "b" }] } },
    { spec: { seLinuxMount: true } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { spec: { storageCapacity: true } },
    json: [{ op: "replace", path: "/spec/requiresRepublish", value: true }],
    strategic: { spec: { fsGroupPolicy: "None" } },
  },
  otherContent: { spec: { podInfoOnMount: true } },
};
