// Which dependents of a node refer to the owner with these coordinates, and which other coordinates the rest refer to.
// Upstream: pkg/controller/garbagecollector/graph_builder.go, partitionDependents, getAlternateOwnerIdentity.

import type { GraphNode } from "./graph-node.ts";
import { compareIdentities, hasSameCoordinates, type Identity, identityOfOwner, isSameIdentity } from "./identity.ts";

export interface PartitionedDependents {
  readonly matching: readonly GraphNode[];
  readonly nonmatching: readonly GraphNode[];
}

/** A dependent with several references to the owner's UID can be on both sides. */
export function partitionDependents(dependents: Iterable<GraphNode>, owner: Identity): PartitionedDependents {
  const matching: GraphNode[] = [];
  const nonmatching: GraphNode[] = [];
  for (const dependent of dependents) {
    if (owner.namespace !== "" && owner.namespace !== dependent.identity.namespace) {
      nonmatching.push(dependent);
      continue;
    }
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    const matches = references.filter((reference) => hasSameCoordinates(reference, owner)).length;
    if (matches > 0) matching.push(dependent);
    if (matches < references.length) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * The next identity, in a fixed circular order, that these dependents give to an owner that does not exist under this
 * one.
 */
export function alternateIdentity(dependents: Iterable<GraphNode>, absent: Identity): Identity | undefined {
  let first: Identity | undefined;
  let firstFollowing: Identity | undefined;
  for (const candidate of claimedIdentities(dependents, absent)) {
    if (isSameIdentity(candidate, absent)) continue;
    if (first === undefined || compareIdentities(candidate, first) < 0) first = candidate;
    if (compareIdentities(absent, candidate) >= 0) continue;
    if (firstFollowing === undefined || compareIdentities(candidate, firstFollowing) < 0) firstFollowing = candidate;
  }
  return firstFollowing ?? first;
}

/**
 * If an absent identity has no namespace, its kind is cluster-scoped, so other identities of that kind have none
 * either.
 */
function* claimedIdentities(dependents: Iterable<GraphNode>, absent: Identity): Iterable<Identity> {
  for (const { identity, owners } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const isOfClusterKind =
        absent.namespace === "" && reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      yield identityOfOwner(reference, isOfClusterKind ? "" : identity.namespace);
    }
  }
}
