// The pieces that objects of the CSI kinds are made of, for fuzzed requests.

import type { Place } from "./fuzz-kinds.ts";

const GROUP = "/apis/storage.k8s.io/v1";
const apiVersion = "storage.k8s.io/v1";
const DRIVER = "csi.example.com";

export const storagePlaces: readonly Place[] = [
  {
    label: "csidrivers",
    collection: `${GROUP}/csidrivers`,
    apiVersion,
    kind: "CSIDriver",
    prefix: "$ns-",
    needsVersion: true,
    minimal: { spec: {} },
    options: [
      { "/spec/attachRequired": false },
      { "/spec/seLinuxMount": true, "/spec/storageCapacity": true },
      { "/spec/volumeLifecycleModes": ["Persistent", "Ephemeral"] },
      { "/spec/tokenRequests": [{ audience: "vault", expirationSeconds: 3600 }] },
      { "/spec/tokenRequests": [{ audience: "" }], "/spec/serviceAccountTokenInSecrets": true },
    ],
    changes: [
      { "/spec/podInfoOnMount": true },
      { "/spec/requiresRepublish": true },
      { "/spec/fsGroupPolicy": "File" },
      { "/spec/seLinuxMount": true },
      { "/spec/nodeAllocatableUpdatePeriodSeconds": 30 },
    ],
    wrong: [
      { "/spec/fsGroupPolicy": "Some" },
      { "/spec/volumeLifecycleModes": ["Never"] },
      { "/spec/tokenRequests": [{ audience: "a" }, { audience: "a" }] },
      { "/spec/tokenRequests": [{ audience: "a", expirationSeconds: 1 }] },
      { "/spec/nodeAllocatableUpdatePeriodSeconds": 1 },
      { "/spec/attachRequired": false, "/spec/podInfoOnMount": "yes" },
      { "/spec": "x" },
    ],
    strategic: [{ spec: { volumeLifecycleModes: ["Ephemeral"] } }, { spec: { storageCapacity: true } }],
  },
  {
    label: "csinodes",
    collection: `${GROUP}/csinodes`,
    apiVersion,
    kind: "CSINode",
    prefix: "$ns-",
    needsVersion: true,
    minimal: { spec: { drivers: [{ name: DRIVER, nodeID: "$name" }] } },
    options: [
      { "/spec/drivers/0/topologyKeys": ["example.com/zone"] },
      { "/spec/drivers/0/allocatable": { count: 3 } },
      { "/spec/drivers": [] },
    ],
    changes: [
      { "/spec/drivers/0/allocatable": { count: 5 } },
      { "/spec/drivers": [{ name: "other.example.com", nodeID: "o" }] },
      { "/spec/drivers": [] },
    ],
    wrong: [
      { "/spec/drivers/0/nodeID": "another" },
      { "/spec/drivers/0/nodeID": "" },
      { "/spec/drivers/0/name": "bad name" },
      { "/spec/drivers/0/topologyKeys": ["a", "a"] },
      { "/spec/drivers": undefined },
      { "/spec/drivers/0/allocatable": { count: -1 } },
    ],
    strategic: [{ spec: { drivers: [{ name: "more.example.com", nodeID: "m" }] } }],
  },
  {
    label: "csistoragecapacities",
    collection: `${GROUP}/namespaces/$ns/csistoragecapacities`,
    apiVersion,
    kind: "CSIStorageCapacity",
    needsVersion: true,
    minimal: { storageClassName: "fast" },
    options: [
      { "/capacity": "10Gi", "/maximumVolumeSize": "1Gi" },
      { "/nodeTopology": { matchLabels: { "example.com/zone": "a" } } },
      { "/nodeTopology": { matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "Exists" }] } },
    ],
    changes: [{ "/capacity": "5Gi" }, { "/capacity": undefined }, { "/maximumVolumeSize": "2Gi" }],
    wrong: [
      { "/storageClassName": "slow" },
      { "/storageClassName": "" },
      { "/capacity": "-1" },
      { "/capacity": "many" },
      { "/nodeTopology": { matchLabels: { "bad key": "x" } } },
    ],
    strategic: [{ capacity: "3Gi" }],
  },
  {
    label: "volumeattributesclasses",
    collection: `${GROUP}/volumeattributesclasses`,
    apiVersion,
    kind: "VolumeAttributesClass",
    prefix: "$ns-",
    minimal: { driverName: DRIVER, parameters: { iops: "1" } },
    options: [{ "/parameters/tier": "gold" }, { "/driverName": "Other.Example.com/Driver" }],
    changes: [{ "/metadata/annotations/more": "1" }, { "/metadata/labels/team": "t" }],
    wrong: [
      { "/parameters/iops": "2" },
      { "/parameters": undefined },
      { "/driverName": "another.example.com" },
      { "/driverName": "bad driver" },
      { "/parameters/iops": 1 },
    ],
    strategic: [{ parameters: { more: "1" } }],
  },
  {
    label: "volumeattachments",
    collection: `${GROUP}/volumeattachments`,
    apiVersion,
    kind: "VolumeAttachment",
    prefix: "$ns-",
    needsVersion: true,
    minimal: { spec: { attacher: DRIVER, nodeName: "node-$name", source: { persistentVolumeName: "pv-$name" } } },
    options: [
      { "/metadata/finalizers": ["external-attacher/csi-example-com"] },
      {
        "/spec/source": {
          inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi: { driver: DRIVER, volumeHandle: "v" } },
        },
      },
      { "/status/attached": true },
    ],
    changes: [{ "/metadata/annotations/more": "1" }, { "/metadata/finalizers": undefined }],
    wrong: [
      { "/spec/nodeName": "another" },
      { "/spec/nodeName": "Bad Name" },
      { "/spec/source": {} },
      { "/spec/source/persistentVolumeName": "" },
      { "/spec/attacher": "" },
    ],
    status: [
      { "/status": { attached: true, attachmentMetadata: { device: "/dev/sda" } } },
      { "/status": { attached: false, attachError: { message: "no", errorCode: 8 } } },
      { "/status": { attached: true, detachError: { message: "busy" } } },
    ],
    wrongStatus: [{ "/status": { attached: false, attachError: { errorCode: -1 } } }, { "/status/attached": "maybe" }],
  },
];
