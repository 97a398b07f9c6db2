// The interface between the replica engine and its two kinds. ReplicaSet and ReplicationController differ in the form
// of their selector and in features that 1.36 gives only to ReplicaSet.

import type { ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { NamespacedObject, Resource } from "#api/resource.ts";

/** The fields that both kinds share. */
export interface ReplicaObject extends NamespacedObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaKind<T extends ReplicaObject> {
  readonly resource: Resource<T>;
  readonly queueName: string;
  /** Throws ValueError when the selector is invalid; an absent one matches nothing. */
  selectorOf(object: T): Selector;
  /** Status carries the number of terminating pods. */
  readonly reportsTerminating: boolean;
  /** Pods of owners with the same controller are counted when choosing pods to delete. */
  readonly ranksBySiblings: boolean;
  /** The gate of read-your-own-writes; undefined: not guarded. */
  readonly consistencyGate: string | undefined;
}
