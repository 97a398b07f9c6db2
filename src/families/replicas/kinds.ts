// The two kinds of the replica engine, side by side.

import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { ReplicationController } from "#api/generated/types/core-v1.ts";
import { nothing, selectorFromObject, selectorFromSet } from "#api/label-selector.ts";
import type { ReplicaKind } from "./replica-kind.ts";

export const replicaSetKind: ReplicaKind<ReplicaSet> = {
  gvr: { group: "apps", version: "v1", resource: "replicasets" },
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  queueName: "replicaset",
  identity: "replicaset-controller",
  selectorOf: (replicaSet) => selectorFromObject(replicaSet.spec?.selector),
  reportsTerminating: true,
  ranksBySiblings: true,
  consistencyGate: "StaleControllerConsistencyReplicaSet",
};

export const replicationControllerKind: ReplicaKind<ReplicationController> = {
  gvr: { group: "", version: "v1", resource: "replicationcontrollers" },
  apiVersion: "v1",
  kind: "ReplicationController",
  queueName: "replicationmanager",
  identity: "replication-controller",
  selectorOf: ({ spec }) => (spec?.selector === undefined ? nothing : selectorFromSet(spec.selector)),
  reportsTerminating: false,
  ranksBySiblings: false,
  consistencyGate: undefined,
};
