// How the sizes of a Deployment's ReplicaSets change: the new one grows, old ones shrink, and a new size of the
// Deployment is spread over all. Each function decides from one snapshot of the ReplicaSets; `resize` writes.
// Upstream: pkg/controller/deployment/rolling.go, reconcileNewReplicaSet, reconcileOldReplicaSets; sync.go, scale.

import { olderFirst } from "#kit/order.ts";
import { allSets, availableOf, isActive, type ReplicaSet, type Rollout, replicasOf, sum } from "./model.ts";
import {
  activeOrLatest,
  isRollingUpdate,
  isSaturated,
  maxUnavailable,
  newSetSize,
  proportionalSizes,
} from "./sizes.ts";

export interface Resized {
  readonly isScaled: boolean;
  /** The ReplicaSet as the server returned it. */
  readonly set: ReplicaSet;
}

/** isForced: even if only the annotations with the Deployment's size differ. */
export type Resize = (set: ReplicaSet, size: number, options?: { readonly isForced: boolean }) => Promise<Resized>;

/** Spreads a new size over the ReplicaSets without continuing the rollout, newest old ones first. */
export async function spread(rollout: Rollout, resize: Resize): Promise<void> {
  const { deployment, newSet } = rollout;
  const oldSets = rollout.oldSets.toSorted((a, b) => olderFirst(b, a));
  const only = activeOrLatest(newSet, oldSets);
  if (only !== undefined) {
    await resize(only, replicasOf(deployment));
    return;
  }
  if (isSaturated(deployment, newSet)) {
    for (const old of oldSets.filter(isActive)) await resize(old, 0);
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  for (const { set, size } of proportionalSizes(deployment, allSets({ oldSets, newSet }).filter(isActive))) {
    await resize(set, size, { isForced: true });
  }
}

/** Scales the new ReplicaSet towards spec.replicas, as far as the surge allows. */
export async function growNew(rollout: Rollout, resize: Resize): Promise<boolean> {
  const { deployment, newSet } = rollout;
  if (newSet === undefined) return false;
  const [current, wanted] = [replicasOf(newSet), replicasOf(deployment)];
  if (current === wanted) return false;
  const size = current > wanted ? wanted : newSetSize(deployment, current, sum(allSets(rollout), replicasOf));
  return (await resize(newSet, size)).isScaled;
}

/** Removes the replicas above the minimum: unhealthy ones first, then available ones. */
export async function shrinkOld(rollout: Rollout, resize: Resize): Promise<boolean> {
  const { deployment, newSet } = rollout;
  const oldSets = rollout.oldSets.filter(isActive).toSorted(olderFirst);
  if (oldSets.length === 0 || newSet === undefined) return false;
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const room = sum(allSets(rollout), replicasOf) - minAvailable - newUnavailable;
  if (room <= 0) return false;
  const healthy = await removeUnhealthy(oldSets, room, resize);
  if (healthy === undefined) return false;
  const surplus = sum([...healthy.sets, newSet], availableOf) - minAvailable;
  return healthy.removed + (await removeOldest(healthy.sets, surplus, resize)) > 0;
}

/**
 * Undefined: a status has more available pods than its ReplicaSet wants, so it is stale, and nothing can be decided.
 */
async function removeUnhealthy(
  oldSets: readonly ReplicaSet[],
  max: number,
  resize: Resize,
): Promise<{ readonly sets: readonly ReplicaSet[]; readonly removed: number } | undefined> {
  const sets: ReplicaSet[] = [];
  let removed = 0;
  for (const set of oldSets) {
    const count = removed < max ? Math.min(max - removed, replicasOf(set) - availableOf(set)) : 0;
    if (count < 0) return undefined;
    sets.push(count === 0 ? set : (await resize(set, replicasOf(set) - count)).set);
    removed += count;
  }
  return { sets, removed };
}

async function removeOldest(oldSets: readonly ReplicaSet[], max: number, resize: Resize): Promise<number> {
  let removed = 0;
  for (const set of oldSets) {
    const count = Math.min(max - removed, replicasOf(set));
    if (count <= 0) continue;
    await resize(set, replicasOf(set) - count);
    removed += count;
  }
  return removed;
}
