// Deployments, stateful sets, daemon sets, controller revisions and pod templates, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const labels = { app: "a" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example/a:1" }] } };
const other = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example/a:2" }] } };
const spec = { selector, template };
const condition = { status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-02T03:04:05Z" };
const apiVersion = "apps/v1";

/** Templates and selectors that every kind refuses. */
const badTemplates: readonly object[] = [
  {},
  { spec: { template } },
  { spec: { ...spec, selector: { matchLabels: { app: "b" } } } },
  { spec: { selector, template: { metadata: { labels }, spec: { containers: [] } } } },
  { spec: { selector, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
];

export const deployments: KindRow = {
  label: "Deployment",
  apiVersion,
  kind: "Deployment",
  resource: "deployments",
  minimal: { spec },
  full: {
    spec: {
      ...spec,
      replicas: 3,
      minReadySeconds: 5,
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: 60,
      paused: true,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } },
    },
  },
  invalid: [
    ...badTemplates,
    { spec: { ...spec, replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 } },
    { spec: { ...spec, strategy: { type: "Slowly" } } },
    { spec: { ...spec, strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { ...spec, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    { spec: { ...spec, strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: "101%" } } } },
    { spec: { ...spec, minReadySeconds: 70, progressDeadlineSeconds: 60 } },
  ],
  updates: [
    { spec: { replicas: 2 } },
    { spec: { selector: { matchLabels: { app: "b" } } } },
    { spec: { template: other } },
    { spec: { strategy: { type: "Recreate", rollingUpdate: null } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 1 },
    { replicas: 1, readyReplicas: 2, availableReplicas: -1 },
    { conditions: [{ type: "Available", ...condition }], collisionCount: 1 },
    { collisionCount: 0 },
  ],
  patches: {
    merge: { spec: { replicas: 4 } },
    json: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "example/a:3" }],
    strategic: { spec: { template: { spec: { containers: [{ name: "d", image: "example/d:1" }] } } } },
  },
  otherContent: { spec: { selector, template: other } },
};

const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

export const statefulSets: KindRow = {
  label: "StatefulSet",
  apiVersion,
  kind: "StatefulSet",
  resource: "statefulsets",
  minimal: { spec },
  full: {
    spec: {
      ...spec,
      serviceName: "s",
      replicas: 2,
      podManagementPolicy: "Parallel",
      ordinals: { start: 3 },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
      volumeClaimTemplates: [claim],
    },
  },
  invalid: [
    ...badTemplates,
    { spec: { ...spec, replicas: -1, ordinals: { start: -1 } } },
    { spec: { ...spec, podManagementPolicy: "Chaotic" } },
    { spec: { ...spec, updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } } },
    { spec: { ...spec, updateStrategy: { rollingUpdate: { partition: -1 } } } },
    { spec: { ...spec, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Maybe" } } },
  ],
  updates: [
    { spec: { replicas: 2 } },
    { spec: { serviceName: "t" } },
    { spec: { volumeClaimTemplates: [claim] } },
    { spec: { template: other, minReadySeconds: 3 } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { replicas: 1, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1, observedGeneration: 1 },
    { replicas: 1, readyReplicas: 2, availableReplicas: -1 },
    { replicas: 0, collisionCount: 1, currentRevision: "x" },
    { replicas: 0, collisionCount: 0 },
  ],
  patches: {
    merge: { spec: { replicas: 4 } },
    json: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "example/a:3" }],
    strategic: { spec: { updateStrategy: { type: "OnDelete" } } },
  },
  otherContent: { spec: { selector, template: other } },
};

export const daemonSets: KindRow = {
  label: "DaemonSet",
  apiVersion,
  kind: "DaemonSet",
  resource: "daemonsets",
  minimal: { spec },
  full: {
    spec: {
      ...spec,
      minReadySeconds: 4,
      revisionHistoryLimit: 3,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "20%" } },
    },
  },
  invalid: [
    ...badTemplates,
    { spec: { ...spec, minReadySeconds: -1, revisionHistoryLimit: -1 } },
    { spec: { ...spec, updateStrategy: { type: "Never" } } },
    { spec: { ...spec, updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } },
    { spec: { ...spec, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
  ],
  updates: [
    { spec: { minReadySeconds: 2 } },
    { spec: { selector: { matchLabels: { app: "b" } } } },
    { spec: { template: other } },
    { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    {
      currentNumberScheduled: 1,
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
      numberReady: 1,
      observedGeneration: 1,
    },
    { currentNumberScheduled: -1, desiredNumberScheduled: 1, numberMisscheduled: 0, numberReady: -1 },
    { numberAvailable: 1, collisionCount: 1 },
    { collisionCount: 0 },
  ],
  patches: {
    merge: { spec: { revisionHistoryLimit: 4 } },
    json: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "example/a:3" }],
    strategic: { spec: { template: { spec: { containers: [{ name: "d", image: "example/d:1" }] } } } },
  },
  otherContent: { spec: { selector, template: other } },
};

export const controllerRevisions: KindRow = {
  label: "ControllerRevision",
  apiVersion,
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  minimal: { revision: 1, data: { any: ["thing"] } },
  full: { revision: 2, data: { spec: { template: { deep: 1 } } }, metadata: { name: "a", labels } },
  invalid: [
    { revision: -1, data: {} },
    { revision: 1 },
    { revision: "x", data: {} },
    { revision: 1, data: 5 },
    { metadata: { name: "Bad Name" }, revision: 1, data: {} },
  ],
  updates: [
    { revision: 3 },
    { revision: -2 },
    { data: { other: 1 } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { revision: 5 },
    json: [{ op: "replace", path: "/revision", value: 6 }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { revision: 7, data: { any: ["thing"] } },
};

export const podTemplates: KindRow = {
  label: "PodTemplate",
  apiVersion: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  minimal: { template },
  full: { template: { ...template, spec: { ...template.spec, nodeSelector: { a: "b" }, restartPolicy: "Never" } } },
  invalid: [
    {},
    { template: { spec: { containers: [] } } },
    { template: { spec: { containers: [{ name: "Bad", image: "" }] } } },
    { template: { metadata: { labels: { "bad key": "x" } }, spec: template.spec } },
    { metadata: { name: "Bad Name" }, template },
  ],
  updates: [
    { template: other },
    { template: { spec: { restartPolicy: "Sometimes" } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { template: { spec: { hostNetwork: true } } },
    json: [{ op: "replace", path: "/template/spec/containers/0/image", value: "example/a:3" }],
    strategic: { template: { spec: { containers: [{ name: "d", image: "example/d:1" }] } } },
  },
  otherContent: { template: other },
};
