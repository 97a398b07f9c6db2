// How many replicas each ReplicaSet may have. Pure arithmetic on 32-bit integers.
// Upstream: pkg/controller/deployment/util/deployment_util.go, ResolveFenceposts … GetReplicaSetProportion; sync.go,
// scale.

import { type IntOrString, scaledValue } from "#api/int-or-string.ts";
import { olderFirst } from "#kit/order.ts";
import { type Deployment, isActive, type ReplicaSet, replicasOf, sum } from "./model.ts";
import { annotatedReplicas, MAX_REPLICAS } from "./revisions.ts";

export function isRollingUpdate({ spec }: Deployment): boolean {
  return spec?.strategy?.type === "RollingUpdate";
}

/** How many pods there may be beyond spec.replicas. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many of spec.replicas may be unavailable. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicas);
}

/**
 * Surge rounds up and unavailable down. If both are zero the rollout could not move, so one pod may be unavailable.
 */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const replicas = replicasOf(deployment);
  const surge = scaledValue(maxSurge as IntOrString, replicas, true);
  const unavailable = scaledValue(maxUnavailable as IntOrString, replicas, false);
  return surge === 0 && unavailable === 0 ? { surge: 0, unavailable: 1 } : { surge, unavailable };
}

/** The size of the new ReplicaSet, which has `current` replicas now, while all sets have `total`. */
export function newSetSize(deployment: Deployment, current: number, total: number): number {
  const replicas = replicasOf(deployment);
  const type = deployment.spec?.strategy?.type ?? "";
  if (type === "Recreate") return replicas;
  if (type !== "RollingUpdate") throw new Error(`deployment type ${type} isn't supported`);
  const surge = scaledValue(
    deployment.spec?.strategy?.rollingUpdate?.maxSurge as IntOrString | undefined,
    replicas,
    true,
  );
  const room = replicas + surge - total;
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** The ReplicaSet that takes all replicas: the only active one, or the latest when none is active. */
export function activeOrLatest(newSet: ReplicaSet | undefined, oldSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const newestFirst = oldSets.toSorted((a, b) => olderFirst(b, a));
  const active = [...newestFirst, ...(newSet === undefined ? [] : [newSet])].filter(isActive);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? newestFirst[0];
}

/** The new ReplicaSet has all replicas, its annotation says so, and all of them are available. */
export function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (set === undefined) return false;
  const replicas = replicasOf(deployment);
  const desired = set.metadata.annotations?.["deployment.kubernetes.io/desired-replicas"] ?? "";
  return (
    /^[+-]?[0-9]+$/.test(desired) &&
    Number(desired) === replicas &&
    replicasOf(set) === replicas &&
    (set.status?.availableReplicas ?? 0) === replicas
  );
}

/** The size of each active ReplicaSet after a change of spec.replicas during a rollout, in the order of the writes. */
export function proportionalSizes(
  deployment: Deployment,
  active: readonly ReplicaSet[],
): readonly { readonly set: ReplicaSet; readonly size: number }[] {
  const replicas = replicasOf(deployment);
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  const toAdd = allowed - sum(active, replicasOf);
  let added = 0;
  const sized = bySize(active, toAdd).map((set) => {
    const share = proportion(set, deployment, toAdd, added);
    added += share;
    return { set, size: replicasOf(set) + share };
  });
  const [first, ...others] = sized;
  if (first === undefined) return [];
  // The first and largest ReplicaSet takes the remainder of the rounding.
  return [{ ...first, size: Math.max(0, first.size + toAdd - added) }, ...others];
}

/** Larger first. For equal sizes: newer first when replicas are added, older first when they are removed. */
function bySize(sets: readonly ReplicaSet[], toAdd: number): readonly ReplicaSet[] {
  if (toAdd === 0) return sets;
  return sets.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? olderFirst(b, a) : olderFirst(a, b)));
}

/** The share of toAdd for this ReplicaSet, after others took `added`. Upstream: GetReplicaSetProportion. */
export function proportion(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (replicasOf(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(set, deployment);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** How much the ReplicaSet would grow in proportion to the Deployment. */
function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(set);
  const replicas = replicasOf(deployment);
  if (replicas === 0) return -size;
  const before = annotatedReplicas(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  // Go multiplies 32-bit integers.
  return Math.trunc(roundHalfAway(Math.imul(size, replicas + maxSurge(deployment)) / before)) - size;
}

function roundHalfAway(value: number): number {
  return value < 0 ? value - 0.5 : value + 0.5;
}
