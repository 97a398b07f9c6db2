// Which active pods to delete first when a Job has too many: duplicate and invalid indexes, then those whose loss costs
// least.
// Upstream: pkg/controller/job/job_controller.go, activePodsForRemoval; pkg/controller/controller_utils.go, ActivePods.

import { parseTime } from "#api/time.ts";
import { isPodReady, mostRestarts, phaseRank, readyTime } from "#rules/pod-status.ts";
import { completionsOf, isIndexed, type Job, type StoredPod } from "./model.ts";
import { completionIndex } from "./pod-index.ts";

/** At least this many; more if indexes are duplicate, missing or out of range. */
export function podsToRemove(job: Job, active: readonly StoredPod[], atLeast: number): readonly StoredPod[] {
  const { surplus, left } = isIndexed(job) ? splitByIndex(active, completionsOf(job)) : { surplus: [], left: active };
  if (surplus.length >= atLeast) return surplus;
  return [...surplus, ...left.toSorted(cheaperFirst).slice(0, atLeast - surplus.length)];
}

/** For each valid index, keeps the pod whose loss costs most. */
function splitByIndex(
  pods: readonly StoredPod[],
  completions: number,
): { readonly surplus: readonly StoredPod[]; readonly left: readonly StoredPod[] } {
  const surplus: StoredPod[] = [];
  const left: StoredPod[] = [];
  const groups = Map.groupBy(pods, completionIndex);
  for (const [index, group] of [...groups].toSorted(([a = -1], [b = -1]) => a - b)) {
    const isValid = index !== undefined && index < completions;
    const ordered = isValid ? group.toSorted(cheaperFirst) : group;
    surplus.push(...(isValid ? ordered.slice(0, -1) : ordered));
    if (isValid) left.push(...ordered.slice(-1));
  }
  return { surplus, left };
}

function cheaperFirst(a: StoredPod, b: StoredPod): number {
  const [restarts, otherRestarts] = [mostRestarts(a), mostRestarts(b)];
  const areReady = isPodReady(a) && isPodReady(b);
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (areReady ? unknownOrLaterFirst(readyTime(a), readyTime(b)) : 0) ||
    otherRestarts.regular - restarts.regular ||
    otherRestarts.sidecar - restarts.sidecar ||
    unknownOrLaterFirst(parseTime(a.metadata.creationTimestamp), parseTime(b.metadata.creationTimestamp))
  );
}

const isAssigned = ({ spec }: StoredPod): boolean => (spec?.nodeName ?? "") !== "";

function unknownOrLaterFirst(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return b - a;
}
