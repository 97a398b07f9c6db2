// Which pods to delete first when there are too many: those whose loss costs least.
// Upstream: pkg/controller/controller_utils.go, ActivePodsWithRanks; replicaset/replica_set.go, getPodsToDelete.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { compareText } from "#kit/order.ts";
import { isPodActive, isPodReady, mostRestarts, phaseRank, podDeletionCost, readyTime } from "#rules/pod-status.ts";

export interface DeletionOrderOptions {
  readonly now: EpochMs;
  /** Honour the pod-deletion-cost annotation. */
  readonly usesDeletionCost: boolean;
}

/** The pods to delete, best candidates first. siblingPods: all pods of the owner's controller. */
export function selectPodsToDelete(
  pods: readonly Stored<Pod>[],
  siblingPods: readonly Stored<Pod>[],
  count: number,
  options: DeletionOrderOptions,
): readonly Stored<Pod>[] {
  if (count >= pods.length) return pods;
  const countByNode = countActiveByNode(siblingPods);
  return pods
    .map((pod) => describe(pod, countByNode, options))
    .sort((a, b) => compare(a, b, options.now))
    .slice(0, count)
    .map((candidate) => candidate.pod);
}

/** The values that the comparison needs, read once per pod. */
interface Candidate {
  readonly pod: Stored<Pod>;
  readonly isAssigned: boolean;
  readonly phaseRank: number;
  readonly isReady: boolean;
  readonly deletionCost: number;
  /** The number of active sibling pods on the same node. Pods with more of them are deleted first. */
  readonly siblingsOnNode: number;
  readonly readySinceMs: EpochMs | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdMs: EpochMs;
}

function describe(
  pod: Stored<Pod>,
  countByNode: ReadonlyMap<string, number>,
  options: DeletionOrderOptions,
): Candidate {
  const isReady = isPodReady(pod);
  const { regular, sidecar } = mostRestarts(pod);
  return {
    pod,
    isAssigned: (pod.spec?.nodeName ?? "") !== "",
    phaseRank: phaseRank(pod),
    isReady,
    deletionCost: options.usesDeletionCost ? podDeletionCost(pod) : 0,
    siblingsOnNode: countByNode.get(pod.spec?.nodeName ?? "") ?? 0,
    readySinceMs: isReady ? readyTime(pod) : undefined,
    restarts: regular,
    sidecarRestarts: sidecar,
    createdMs: parseTime(pod.metadata.creationTimestamp),
  };
}

/** Negative: a is deleted before b. Each line is one criterion; the first that differs decides. */
function compare(a: Candidate, b: Candidate, now: EpochMs): number {
  return (
    Number(a.isAssigned) - Number(b.isAssigned) ||
    a.phaseRank - b.phaseRank ||
    Number(a.isReady) - Number(b.isReady) ||
    a.deletionCost - b.deletionCost ||
    b.siblingsOnNode - a.siblingsOnNode ||
    (a.isReady ? youngerFirst(a.readySinceMs, b.readySinceMs, a.pod, b.pod, now) : 0) ||
    b.restarts - a.restarts ||
    b.sidecarRestarts - a.sidecarRestarts ||
    youngerFirst(a.createdMs, b.createdMs, a.pod, b.pod, now)
  );
}

/**
 * Ages are compared by their power of two. Among pods of about the same age the UID decides, which is as good as
 * random, so that scaling down does not always hit the newest deployment's zone.
 */
function youngerFirst(
  a: EpochMs | undefined,
  b: EpochMs | undefined,
  podA: Stored<Pod>,
  podB: Stored<Pod>,
  now: EpochMs,
): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const difference = ageRank(now - a) - ageRank(now - b);
  return difference !== 0 ? difference : compareText(podA.metadata.uid, podB.metadata.uid);
}

const NANOSECONDS_PER_MS = 1e6;

function ageRank(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * NANOSECONDS_PER_MS)) : -1;
}

function countActiveByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? "";
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}
