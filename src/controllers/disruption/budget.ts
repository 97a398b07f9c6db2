// The disruptions that a budget allows, computed from its pods. Pure.
// Upstream: pkg/controller/disruption/disruption.go, getExpectedPodCount, countHealthyPods, buildDisruptedPodMap,
// updatePdbStatus.

import { semanticEqual } from "#api/equality.ts";
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "#api/generated/types/policy-v1.ts";
import { scaledValue } from "#api/int-or-string.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { isConditionCurrent, withDisruptionAllowed } from "#rules/disruption-budget.ts";
import { isPodReady } from "#rules/pod-status.ts";
import type { Budget, StoredPod } from "./model.ts";

/** An evicted pod whose deletion has not begun after this time will not be deleted. */
const DELETION_TIMEOUT_MS = 120_000;

export interface PodCounts {
  readonly expected: number;
  readonly desiredHealthy: number;
}

/**
 * True if the budget is a percentage or a maximum, which depends on the size of the workloads. An absolute minimum does
 * not.
 */
export function needsScale({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** scale: the sum of the sizes of the workloads, if the budget needs it. Throws for an invalid percentage. */
export function podCounts(spec: PodDisruptionBudgetSpec, podCount: number, scale: number): PodCounts {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, scale - scaledValue(maxUnavailable, scale, true));
    return { expected: scale, desiredHealthy };
  }
  if (typeof minAvailable === "number") return { expected: podCount, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expected: 0, desiredHealthy: 0 };
  return { expected: scale, desiredHealthy: scaledValue(minAvailable, scale, true) };
}

export type DisruptedPods = Readonly<Record<string, string>>;

export interface Disruptions {
  /** Evicted pods whose deletion is still expected. */
  readonly pods: DisruptedPods;
  /** Evicted pods that should have been deleted by now. */
  readonly overdue: readonly StoredPod[];
  /** When the first of the expected deletions is overdue. */
  readonly recheckAt?: EpochMs;
}

export function disruptions(disrupted: DisruptedPods, pods: readonly StoredPod[], now: EpochMs): Disruptions {
  const expected: Record<string, string> = {};
  const overdue: StoredPod[] = [];
  let recheckAt: EpochMs | undefined;
  for (const pod of pods) {
    const since = disruptedAt(disrupted, pod);
    if (since === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const deadline = parseTime(since) + DELETION_TIMEOUT_MS;
    if (deadline < now) {
      overdue.push(pod);
      continue;
    }
    expected[pod.metadata.name] = since;
    recheckAt = Math.min(recheckAt ?? deadline, deadline);
  }
  return { pods: expected, overdue, ...(recheckAt === undefined ? {} : { recheckAt }) };
}

/** Ready, and neither deleted nor evicted. */
export function countHealthy(pods: readonly StoredPod[], disrupted: DisruptedPods, now: EpochMs): number {
  return pods.filter((pod) => {
    const since = disruptedAt(disrupted, pod);
    const isEvicted = since !== undefined && parseTime(since) + DELETION_TIMEOUT_MS > now;
    return pod.metadata.deletionTimestamp === undefined && !isEvicted && isPodReady(pod);
  }).length;
}

/** A pod may be named "constructor", so inherited members must be ignored. */
function disruptedAt(disrupted: DisruptedPods, { metadata: { name } }: StoredPod): string | undefined {
  return Object.hasOwn(disrupted, name) ? disrupted[name] : undefined;
}

/** Undefined: the status is up to date. */
export function newStatus(
  budget: Budget,
  { expected, desiredHealthy }: PodCounts,
  currentHealthy: number,
  disruptedPods: DisruptedPods,
  now: EpochMs,
): PodDisruptionBudgetStatus | undefined {
  const { metadata, status = {} } = budget;
  const generation = metadata.generation ?? 0;
  const isExpectingPods = expected > 0; // a budget without pods allows nothing until it has seen its first ones
  const counts = {
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
    disruptionsAllowed: isExpectingPods ? Math.max(0, currentHealthy - desiredHealthy) : 0,
  };
  const isCurrent =
    Object.entries(counts).every(([field, count]) => (status[field as keyof typeof counts] ?? 0) === count) &&
    semanticEqual(status.disruptedPods ?? {}, disruptedPods) &&
    (status.observedGeneration ?? 0) === generation &&
    isConditionCurrent(budget);
  if (isCurrent) return undefined;
  const changed = {
    ...counts,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    ...(status.conditions === undefined ? {} : { conditions: status.conditions }),
  };
  return withDisruptionAllowed(changed, now);
}
