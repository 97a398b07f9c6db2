// The two ways to replace old pods by new ones, and what happens when the size changes meanwhile.
// Upstream: pkg/controller/deployment/{rolling,recreate}.go; sync.go, scale.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ApiError } from "#api/status-error.ts";
import { ownedBy } from "#kit/controller-index.ts";
import { olderFirst } from "#kit/order.ts";
import type { SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import {
  allSets,
  availableOf,
  type Deployment,
  type Deps,
  isActive,
  type ReplicaSet,
  type Rollout,
  replicasOf,
  sum,
} from "./model.ts";
import { cleanUp, resolveSets, scaleSet } from "./replica-sets.ts";
import {
  activeOrLatest,
  isRollingUpdate,
  isSaturated,
  maxUnavailable,
  newSetSize,
  proportionalSizes,
} from "./sizes.ts";
import { isComplete, syncRolloutStatus } from "./status.ts";

/** Spreads a new size over the ReplicaSets without going on with the rollout. */
export async function scale(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<void> {
  const { deployment, newSet, oldSets } = rollout;
  const only = activeOrLatest(newSet, oldSets);
  if (only !== undefined) {
    await scaleSet(only, replicasOf(deployment), deployment, {}, deps, signal);
    return;
  }
  if (isSaturated(deployment, newSet)) {
    for (const old of oldSets.filter(isActive)) await scaleSet(old, 0, deployment, {}, deps, signal);
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  for (const { set, size } of proportionalSizes(deployment, allSets(rollout).filter(isActive))) {
    await scaleSet(set, size, deployment, { isForced: true }, deps, signal);
  }
}

export async function rolloutRolling(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const rollout = await resolveSets(deployment, sets, { createsNew: true }, deps, signal);
  if (await growNew(rollout, deps, signal)) return await syncRolloutStatus(rollout, deps, signal);
  if (await shrinkOld(rollout, deps, signal)) return await syncRolloutStatus(rollout, deps, signal);
  if (isComplete(rollout.deployment)) await cleanUp(rollout, deps, signal);
  return await syncRolloutStatus(rollout, deps, signal);
}

/** Brings the new ReplicaSet as near to spec.replicas as the surge allows. */
async function growNew(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { deployment, newSet } = rollout;
  if (newSet === undefined) return false;
  const [current, wanted] = [replicasOf(newSet), replicasOf(deployment)];
  if (current === wanted) return false;
  const size = current > wanted ? wanted : newSetSize(deployment, current, sum(allSets(rollout), replicasOf));
  return (await scaleSet(newSet, size, deployment, {}, deps, signal)).isScaled;
}

/** Takes away what is not needed for the minimum: unhealthy replicas first, then available ones. */
async function shrinkOld(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { deployment, newSet } = rollout;
  const oldSets = rollout.oldSets.filter(isActive).toSorted(olderFirst);
  if (oldSets.length === 0 || newSet === undefined) return false;
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const room = sum(allSets(rollout), replicasOf) - minAvailable - newUnavailable;
  if (room <= 0) return false;
  try {
    const healthy = await removeUnhealthy(oldSets, deployment, room, deps, signal);
    const surplus = sum([...healthy.sets, newSet], availableOf) - minAvailable;
    return healthy.removed + (await removeOldest(healthy.sets, deployment, surplus, deps, signal)) > 0;
  } catch (error) {
    // A refused write is not retried for its own sake: the next event brings the next sync.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function removeUnhealthy(
  oldSets: readonly ReplicaSet[],
  deployment: Deployment,
  max: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<{ readonly sets: readonly ReplicaSet[]; readonly removed: number }> {
  const sets: ReplicaSet[] = [];
  let removed = 0;
  for (const set of oldSets) {
    const count = Math.min(max - removed, replicasOf(set) - availableOf(set));
    if (count <= 0) {
      sets.push(set);
      continue;
    }
    sets.push((await scaleSet(set, replicasOf(set) - count, deployment, {}, deps, signal)).set);
    removed += count;
  }
  return { sets, removed };
}

async function removeOldest(
  oldSets: readonly ReplicaSet[],
  deployment: Deployment,
  max: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const set of oldSets) {
    const count = Math.min(max - removed, replicasOf(set));
    if (count <= 0) continue;
    await scaleSet(set, replicasOf(set) - count, deployment, {}, deps, signal);
    removed += count;
  }
  return removed;
}

/** No new pod before the last old one has ended. */
export async function rolloutRecreate(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  let rollout = await resolveSets(deployment, sets, { createsNew: false }, deps, signal);
  const active = rollout.oldSets.filter(isActive);
  for (const old of active) await scaleSet(old, 0, rollout.deployment, {}, deps, signal);
  if (active.length > 0 || oldPodsRun(rollout, sets, deps)) return await syncRolloutStatus(rollout, deps, signal);
  if (rollout.newSet === undefined) {
    rollout = await resolveSets(rollout.deployment, rollout.oldSets, { createsNew: true }, deps, signal);
  }
  const { newSet } = rollout;
  if (newSet !== undefined) {
    await scaleSet(newSet, replicasOf(rollout.deployment), rollout.deployment, {}, deps, signal);
  }
  if (isComplete(rollout.deployment)) await cleanUp(rollout, deps, signal);
  return await syncRolloutStatus(rollout, deps, signal);
}

/** Terminating pods count: they may still hold what the new ones need. */
function oldPodsRun({ newSet, oldSets }: Rollout, sets: readonly ReplicaSet[], deps: Deps): boolean {
  if (sum(oldSets, ({ status }) => status?.replicas ?? 0) > 0) return true;
  const others = sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
  return others.some((set) => ownedBy(deps.pods, set, ReplicaSets).some((pod) => !isPodTerminal(pod)));
}
