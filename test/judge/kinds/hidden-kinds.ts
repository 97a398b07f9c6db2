// Storage versions, their migrations and lease candidates, as the real server judges them where they are served.

import type { KindRow } from "../kind-row.ts";

const labelled = (key: string): object => ({ metadata: { labels: { [key]: "1" } } });
const patches: KindRow["patches"] = {
  merge: { metadata: { annotations: { a: "b" } } },
  json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
  strategic: labelled("s"),
};

const reported = (apiServerID: string, encodingVersion: string, ...others: readonly string[]): object => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion, ...others],
  servedVersions: [encodingVersion],
});
const agreed = {
  type: "AllEncodingVersionsEqual",
  status: "True",
  observedGeneration: 1,
  lastTransitionTime: "2026-01-02T03:04:05Z",
  reason: "CommonEncodingVersionSet",
  message: "Common encoding version set",
};

export const storageVersions: KindRow = {
  label: "StorageVersion",
  apiVersion: "internal.apiserver.k8s.io/v1alpha1",
  kind: "StorageVersion",
  resource: "storageversions",
  isClusterScoped: true,
  name: "$ns.example.things",
  minimal: { spec: {} },
  invalid: [
    { metadata: { name: "things" }, spec: {} },
    { metadata: { name: "Bad_Group.things" }, spec: {} },
    { metadata: { name: "example.com.1things" }, spec: {} },
    { metadata: { name: ".things" }, spec: {} },
    { metadata: { name: "$ns.example.things", labels: { "bad key": "x" } }, spec: {} },
    { metadata: { name: "$ns.example.things" }, spec: "text" },
  ],
  updates: [
    { spec: { any: "thing" } },
    { status: { commonEncodingVersion: "v1" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
    { metadata: { labels: { "bad key": "x" } } },
    { metadata: { uid: "other" } },
  ],
  status: [
    { storageVersions: [reported("one", "v1", "v2")], commonEncodingVersion: "v1", conditions: [agreed] },
    { storageVersions: [reported("one", "v1"), reported("two", "v2")] },
    { storageVersions: [reported("one", "v1"), reported("one", "v2")], commonEncodingVersion: null },
    { storageVersions: [reported("One!", "a/b/c")], commonEncodingVersion: "v9" },
    { storageVersions: [{ apiServerID: "one", encodingVersion: "v1", servedVersions: ["/V", "v1"] }] },
    {
      storageVersions: null,
      commonEncodingVersion: null,
      conditions: [agreed, { ...agreed, reason: "", status: "!" }],
    },
  ],
  patches,
  otherContent: { metadata: { name: "$ns.example.things", annotations: { other: "1" } }, spec: {} },
};

const resource = { group: "example.com", resource: "things" };
const condition = (type: string, status = "True"): object => ({
  type,
  status,
  lastTransitionTime: "2026-01-02T03:04:05Z",
  reason: "StorageVersionMigrationDone",
  message: "",
});

export const storageVersionMigrations: KindRow = {
  label: "StorageVersionMigration",
  apiVersion: "storagemigration.k8s.io/v1beta1",
  kind: "StorageVersionMigration",
  resource: "storageversionmigrations",
  isClusterScoped: true,
  minimal: { spec: { resource: { resource: "things" } } },
  full: { spec: { resource } },
  invalid: [
    {},
    { spec: { resource: {} } },
    { spec: { resource: { group: "example.com" } } },
    { spec: { resource: { group: "Bad_Group", resource: "Things" } } },
    { spec: { resource: { group: "-", resource: "1-" } } },
    { metadata: { name: "Bad Name" }, spec: { resource } },
  ],
  updates: [
    { spec: { resource } },
    { spec: { resource: { resource: "others" } } },
    { spec: null },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { resourceVersion: "12", conditions: [condition("Running")] },
    { resourceVersion: "13" },
    { resourceVersion: "12", conditions: [condition("Succeeded"), condition("Failed")] },
    { resourceVersion: "12", conditions: [condition("Succeeded")] },
    { resourceVersion: "12", conditions: [condition("Succeeded", "False")] },
    { resourceVersion: "twelve", conditions: [condition("bad type", "Some")] },
  ],
  patches,
  otherContent: {
    metadata: { name: "$ns-a", annotations: { other: "1" } },
    spec: { resource: { resource: "things" } },
  },
};

const candidate = { leaseName: "leader", binaryVersion: "1.36.0", strategy: "example.com/own" };
const oldest = { ...candidate, emulationVersion: "1.35.0", strategy: "OldestEmulationVersion" };

export const leaseCandidates: KindRow = {
  label: "LeaseCandidate",
  apiVersion: "coordination.k8s.io/v1beta1",
  kind: "LeaseCandidate",
  resource: "leasecandidates",
  minimal: { spec: candidate },
  full: { spec: { ...oldest, pingTime: "2026-01-02T03:04:05.000006Z", renewTime: "2026-01-02T03:04:06.000000Z" } },
  invalid: [
    {},
    { spec: { ...candidate, leaseName: "" } },
    { spec: { ...candidate, strategy: undefined } },
    { spec: { ...candidate, strategy: "Nonsense" } },
    { spec: { ...candidate, strategy: "OldestEmulationVersion" } },
    { spec: { ...oldest, binaryVersion: "v1.36", emulationVersion: "1" } },
    { spec: { ...oldest, binaryVersion: "1.36.0-alpha.1", emulationVersion: "1.36.0" } },
    { metadata: { name: "Bad Name" }, spec: candidate },
    { spec: { ...candidate, renewTime: "soon" } },
  ],
  updates: [
    { spec: { leaseName: "other" } },
    { spec: { renewTime: "2026-01-02T03:04:07.000000Z" } },
    { spec: { binaryVersion: null } },
    { spec: { emulationVersion: "1.37.0" } },
    { spec: { strategy: "OldestEmulationVersion", emulationVersion: "1.36.0" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: { ...patches, merge: { spec: { pingTime: "2026-01-02T03:04:05.000000Z" } } },
  otherContent: { spec: { ...candidate, binaryVersion: "1.37.0" } },
};
