// The two strategies to replace old pods by new ones, and the handling of a size change during a rollout.
// Upstream: pkg/controller/deployment/{rolling,recreate}.go; sync.go.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ApiError } from "#api/status-error.ts";
import { ownedBy } from "#kit/controller-index.ts";
import type { SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { type Deployment, type Deps, isActive, type ReplicaSet, type Rollout, replicasOf, sum } from "./model.ts";
import { cleanUp, resolveSets, scaleSet } from "./replica-sets.ts";
import { growNew, type Resize, shrinkOld, spread } from "./resizing.ts";
import { isComplete, syncRolloutStatus } from "./status.ts";

/** Spreads a new size over the ReplicaSets without continuing the rollout. */
export async function scale(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<void> {
  await spread(rollout, resizer(rollout, deps, signal));
}

function resizer({ deployment }: Rollout, deps: Deps, signal: AbortSignal): Resize {
  return (set, size, options = { isForced: false }) => scaleSet(set, size, deployment, options, deps, signal);
}

export async function rolloutRolling(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const rollout = await resolveSets(deployment, sets, { createsNew: true }, deps, signal);
  const resize = resizer(rollout, deps, signal);
  if ((await growNew(rollout, resize)) || (await shrinks(rollout, resize))) {
    return await syncRolloutStatus(rollout, deps, signal);
  }
  if (isComplete(rollout.deployment)) await cleanUp(rollout, deps, signal);
  return await syncRolloutStatus(rollout, deps, signal);
}

async function shrinks(rollout: Rollout, resize: Resize): Promise<boolean> {
  try {
    return await shrinkOld(rollout, resize);
  } catch (error) {
    // A refused write is not retried here: the next event triggers the next sync.
    if (error instanceof ApiError) return false;
    throw error;
  }
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

/** Terminating pods count, because they may still hold resources that the new ones need. */
function oldPodsRun({ newSet, oldSets }: Rollout, sets: readonly ReplicaSet[], deps: Deps): boolean {
  if (sum(oldSets, ({ status }) => status?.replicas ?? 0) > 0) return true;
  const others = sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
  return others.some((set) => ownedBy(deps.pods, set, ReplicaSets).some((pod) => !isPodTerminal(pod)));
}
