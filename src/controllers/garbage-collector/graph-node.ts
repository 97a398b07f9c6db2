// One object in the graph of owners and dependents. Only the graph changes nodes; workers read them. Queues identify a
// node by object identity, not by its UID: a clone is a different item.
// Upstream: pkg/controller/garbagecollector/graph.go, node.

import type { OwnerReference } from "#api/meta.ts";
import type { Identity } from "./identity.ts";

export interface GraphNode {
  readonly identity: Identity;
  /** The nodes that name this one in an owner reference. */
  readonly dependents: ReadonlySet<GraphNode>;
  readonly owners: readonly OwnerReference[];
  /** The object has a deletionTimestamp. It never goes back to false. */
  readonly isBeingDeleted: boolean;
  /** The object is being deleted and has the finalizer foregroundDeletion. */
  readonly isDeletingDependents: boolean;
  /** An owner reference names the object, but no informer has seen it. */
  readonly isVirtual: boolean;
}

/** The nodes whose owner references keep this node from being deleted in the foreground. */
export function blockingDependents(node: GraphNode): readonly GraphNode[] {
  return [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.identity.uid && blockOwnerDeletion === true),
  );
}
