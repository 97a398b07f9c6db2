// Volume attachments, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const spec = { attacher: "hostpath.csi.example.com", nodeName: "node-a", source: { persistentVolumeName: "pv-a" } };
const csi = { driver: "hostpath.csi.example.com", volumeHandle: "v" };

export const volumeAttachments: KindRow = {
  label: "VolumeAttachment",
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  resource: "volumeattachments",
  isClusterScoped: true,
  minimal: { spec },
  full: { spec: { ...spec, source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi } } } },
  invalid: [
    { spec: { ...spec, source: {} } },
    { spec: { ...spec, source: { persistentVolumeName: "" } } },
    { spec: { ...spec, source: { persistentVolumeName: "Bad Name" } } },
    { spec: { ...spec, attacher: "" } },
    { spec: { ...spec, attacher: "bad name" } },
    { spec: { ...spec, nodeName: "Bad Name" } },
    { spec: { ...spec, source: { persistentVolumeName: "a", inlineVolumeSpec: { accessModes: [], csi } } } },
    { spec: { ...spec, source: { inlineVolumeSpec: { accessModes: [], csi: { driver: "x" } } } } },
    {
      spec: {
        ...spec,
        source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/" } } },
      },
    },
  ],
  updates: [
    { spec: { nodeName: "node-b" } },
    { spec: { source: { persistentVolumeName: "pv-b" } } },
    { metadata: { finalizers: ["external-attacher/hostpath-csi-example-com"] } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
    { metadata: { finalizers: null } },
  ],
  status: [
    { attached: true, attachmentMetadata: { device: "/dev/sda" } },
    { attached: false, attachError: { message: "no room", time: "2026-01-02T03:04:05Z", errorCode: 8 } },
    { attached: true, detachError: { message: "busy", errorCode: -1 } },
    { attached: "maybe" },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/nodeName", value: "node-c" }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { spec: { ...spec, nodeName: "node-b" } },
};
