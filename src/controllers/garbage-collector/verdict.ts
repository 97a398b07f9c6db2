// Decides what to do with an object whose owners were looked up. Pure: the caller has read the object and its owners
// live.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, classifyReferences, attemptToDeleteItem.

import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { FOREGROUND, ORPHAN } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";

export type Propagation = "Orphan" | "Foreground" | "Background";

/** An owner exists, does not exist, or exists only until its dependents are gone. */
export type OwnerState = "solid" | "dangling" | "waiting";

export interface OwnerFinding {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type Verdict =
  | { readonly kind: "keep" }
  /** An owner is solid: the references to the others are removed. */
  | { readonly kind: "release"; readonly ownerUids: readonly string[] }
  /** unblocks: the object first stops blocking its owners, which breaks a possible cycle. */
  | { readonly kind: "delete"; readonly policy: Propagation; readonly unblocks: boolean };

/** The state of an owner that exists. */
export function stateOfOwner({ deletionTimestamp, finalizers }: ObjectMeta): OwnerState {
  return deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) ? "waiting" : "solid";
}

export function verdictOn(node: GraphNode, live: ObjectMeta, owners: readonly OwnerFinding[]): Verdict {
  const uidsOf = (state: OwnerState): readonly string[] =>
    owners.filter((owner) => owner.state === state).map(({ reference }) => reference.uid);
  const waiting = uidsOf("waiting");
  if (uidsOf("solid").length > 0) {
    const ownerUids = [...uidsOf("dangling"), ...waiting];
    return ownerUids.length === 0 ? { kind: "keep" } : { kind: "release", ownerUids };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    const unblocks = [...node.dependents].some((dependent) => dependent.isDeletingDependents);
    return { kind: "delete", policy: "Foreground", unblocks };
  }
  return { kind: "delete", policy: policyOf(live), unblocks: false };
}

/** A finalizer on the object already decides how its dependents are treated. */
function policyOf({ finalizers = [] }: ObjectMeta): Propagation {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
