// The seam between the replica engine and the two kinds it serves. ReplicaSet and
// ReplicationController differ in their selector's form and in what 1.36 gives only to the former.

import type { ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { NamespacedObject, Resource } from "#api/resource.ts";

/** What both kinds have in common on the wire. */
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
  /** Pods of owners with the same controller count when choosing what to delete. */
  readonly ranksBySiblings: boolean;
  /** The gate of read-your-own-writes; none means no guard. */
  readonly consistencyGate: string | undefined;
}
