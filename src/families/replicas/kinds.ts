// The two kinds of the replica engine, side by side.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { ReplicationController } from "#api/generated/types/core-v1.ts";
import { nothing, selectorFromObject, selectorFromSet } from "#api/label-selector.ts";
import type { Stored } from "#api/resource.ts";
import type { ReplicaKind } from "./replica-kind.ts";

export const replicaSetKind: ReplicaKind<Stored<ReplicaSet>> = {
  resource: ReplicaSets,
  queueName: "replicaset",
  selectorOf: (replicaSet) => selectorFromObject(replicaSet.spec?.selector),
  reportsTerminating: true,
  ranksBySiblings: true,
  consistencyGate: "StaleControllerConsistencyReplicaSet",
};

export const replicationControllerKind: ReplicaKind<Stored<ReplicationController>> = {
  resource: ReplicationControllers,
  queueName: "replicationmanager",
  selectorOf: ({ spec }) => (spec?.selector === undefined ? nothing : selectorFromSet(spec.selector)),
  reportsTerminating: false,
  ranksBySiblings: false,
  consistencyGate: undefined,
};
