// The graph of owners and dependents, updated from informer events. Each change may find nodes that need work. The
// graph only queues them; workers read from the API server before they act.
// Upstream: pkg/controller/garbagecollector/graph_builder.go, processGraphChanges.

import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import type { GraphNode } from "./graph-node.ts";
import { hasSameCoordinates, type Identity, identityOfOwner, isSameIdentity } from "./identity.ts";
import { ownerChanges, unblockedOwners } from "./owner-changes.ts";
import { alternateIdentity, partitionDependents } from "./owner-identities.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

export type GraphChange =
  /** An informer added or updated the object. */
  | { readonly kind: "seen"; readonly identity: Identity; readonly metadata: ObjectMeta; readonly old?: ObjectMeta }
  /** An informer saw the deletion of the object. */
  | { readonly kind: "deleted"; readonly identity: Identity }
  /** A worker found that the object does not exist on the API server. */
  | { readonly kind: "absent"; readonly identity: Identity };

/** The queues for nodes that need a worker. */
export interface GraphQueues {
  attemptToDelete(node: GraphNode): void;
  /** Like attemptToDelete, after the back-off of the queue. */
  attemptToDeleteLater(node: GraphNode): void;
  attemptToOrphan(node: GraphNode): void;
  /** The owner is in another namespace than the dependent. */
  ownerIsElsewhere(dependent: GraphNode, reference: OwnerReference): void;
}

type MutableNode = {
  -readonly [K in keyof GraphNode]: K extends "dependents" ? Set<GraphNode> : GraphNode[K];
};

export class DependencyGraph {
  readonly #nodes = new Map<string, MutableNode>();
  readonly #absentOwners: AbsentOwners;
  readonly #queues: GraphQueues;

  constructor(absentOwners: AbsentOwners, queues: GraphQueues) {
    this.#absentOwners = absentOwners;
    this.#queues = queues;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  apply(change: GraphChange): void {
    const known = this.#nodes.get(change.identity.uid);
    const isFirstSight = known?.isVirtual === true && change.kind !== "absent";
    const node = isFirstSight ? this.#observe(known, change.identity) : known;
    if (change.kind === "seen") this.#see(node, change);
    else if (node !== undefined && (change.kind === "deleted" || this.#isAbsent(node, change.identity))) {
      this.#remove(node, change.identity);
    }
  }

  /** Replaces a virtual node that has other coordinates by a clone, because a queue may still hold the old one. */
  #observe(virtual: MutableNode, identity: Identity): MutableNode {
    let node = virtual;
    if (!isSameIdentity(virtual.identity, identity)) {
      for (const dependent of partitionDependents(virtual.dependents, identity).nonmatching) {
        if (identity.namespace !== "" && dependent.identity.namespace !== identity.namespace) {
          this.#reportElsewhere(dependent, identity.uid);
        }
        this.#queues.attemptToDelete(dependent);
      }
      node = this.#replace(virtual, identity);
    }
    node.isVirtual = false;
    return node;
  }

  #replace(node: MutableNode, identity: Identity): MutableNode {
    const clone: MutableNode = { ...node, identity, dependents: new Set(node.dependents) };
    this.#nodes.set(identity.uid, clone);
    return clone;
  }

  #see(known: MutableNode | undefined, change: GraphChange & { readonly kind: "seen" }): void {
    const { identity, metadata, old } = change;
    const owners = metadata.ownerReferences ?? [];
    const isBeingDeleted = metadata.deletionTimestamp !== undefined;
    let node = known;
    if (node === undefined) {
      node = {
        identity,
        dependents: new Set(),
        owners,
        isBeingDeleted,
        isDeletingDependents: isDeletedWith(metadata, FOREGROUND),
        isVirtual: false,
      };
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
    } else {
      this.#updateOwners(node, owners);
      if (isBeingDeleted) node.isBeingDeleted = true;
    }
    this.#noticeDeletion(node, metadata, old);
  }

  #updateOwners(node: MutableNode, owners: readonly OwnerReference[]): void {
    const changes = ownerChanges(node.owners, owners);
    if (changes.added.length + changes.removed.length + changes.changed.length === 0) return;
    for (const uid of unblockedOwners(changes)) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#queues.attemptToDelete(owner);
    }
    node.owners = owners;
    this.#addToOwners(node, changes.added);
    this.#removeFromOwners(node, changes.removed);
  }

  /** One event may report a creation and a deletion, so an object's first event counts as well. */
  #noticeDeletion(node: MutableNode, metadata: ObjectMeta, old: ObjectMeta | undefined): void {
    const startsWith = (finalizer: string): boolean =>
      isDeletedWith(metadata, finalizer) && (old === undefined || !isDeletedWith(old, finalizer));
    if (startsWith(ORPHAN)) {
      this.#queues.attemptToOrphan(node);
    } else if (startsWith(FOREGROUND)) {
      node.isDeletingDependents = true;
      for (const dependent of node.dependents) this.#queues.attemptToDelete(dependent);
      this.#queues.attemptToDelete(node);
    }
  }

  /** An owner that is not in the graph gets a virtual node, which a worker verifies. */
  #addToOwners(node: MutableNode, references: readonly OwnerReference[]): void {
    let isDoubtful = false;
    for (const reference of references) {
      const owner = this.#nodes.get(reference.uid);
      if (owner === undefined) {
        const virtual = virtualOwner(reference, node);
        this.#nodes.set(reference.uid, virtual);
        this.#queues.attemptToDelete(virtual);
        continue;
      }
      owner.dependents.add(node);
      if (!isDoubtful) isDoubtful = this.#disagrees(node, reference, owner);
    }
    if (isDoubtful) this.#queues.attemptToDelete(node);
  }

  /** True if the reference gives the owner other coordinates than the graph has, or may have. */
  #disagrees(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { namespace } = owner.identity;
    if (namespace !== "" && namespace !== node.identity.namespace) {
      if (!owner.isVirtual) this.#reportElsewhere(node, reference.uid);
      return true;
    }
    if (!hasSameCoordinates(reference, owner.identity)) return true;
    // A cluster-scoped object may have been the first to name an owner of a namespaced kind, without the namespace.
    return namespace !== node.identity.namespace && owner.isVirtual;
  }

  #reportElsewhere(dependent: GraphNode, ownerUid: string): void {
    const reference = dependent.owners.find(({ uid }) => uid === ownerUid);
    if (reference !== undefined) this.#queues.ownerIsElsewhere(dependent, reference);
  }

  #removeFromOwners(node: MutableNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#nodes.get(uid)?.dependents.delete(node);
  }

  /** False: the node has coordinates that were not looked up, and stays. */
  #isAbsent(node: MutableNode, absent: Identity): boolean {
    if (!node.isVirtual && isSameIdentity(node.identity, absent)) return true;
    const { matching, nonmatching } = partitionDependents(node.dependents, absent);
    if (node.isVirtual && nonmatching.length === 0) return true;
    if (matching.length > 0) this.#absentOwners.add(absent);
    for (const dependent of matching) this.#queues.attemptToDelete(dependent);
    if (node.isVirtual && isSameIdentity(node.identity, absent)) this.#verifyNext(node, nonmatching);
    return false;
  }

  /** The virtual node takes the next coordinates that its dependents name, and is verified again. */
  #verifyNext(node: MutableNode, nonmatching: readonly GraphNode[]): void {
    const alternate = alternateIdentity(nonmatching, node.identity);
    if (alternate !== undefined) this.#queues.attemptToDeleteLater(this.#replace(node, alternate));
  }

  #remove(node: MutableNode, identity: Identity): void {
    this.#nodes.delete(node.identity.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.#absentOwners.add(identity);
    for (const dependent of node.dependents) this.#queues.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.isDeletingDependents) this.#queues.attemptToDelete(owner);
    }
  }
}

function virtualOwner(reference: OwnerReference, dependent: GraphNode): MutableNode {
  return {
    identity: identityOfOwner(reference, dependent.identity.namespace),
    dependents: new Set([dependent]),
    owners: [],
    isBeingDeleted: false,
    isDeletingDependents: false,
    isVirtual: true,
  };
}

function isDeletedWith({ deletionTimestamp, finalizers }: ObjectMeta, finalizer: string): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(finalizer) === true;
}
