// Phase, readiness and availability from a pod's status. Pure, and called very often.
// Upstream: pkg/api/v1/pod/util.go; pkg/controller/controller_utils.go.

import type { Pod, PodCondition } from "#api/generated/types/core-v1.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Succeeded or Failed: its containers will never run again. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed";
}

/** True if the pod counts as a replica. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** True if the pod is being deleted. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata?.deletionTimestamp !== undefined;
}

export function isPodReady(pod: Pod): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}

/** The time since which the pod has been ready; undefined when it is not, or when its condition has no time. */
export function readyTime(pod: Pod): EpochMs | undefined {
  const condition = podCondition(pod, "Ready");
  return condition?.status === "True" ? timeOrUndefined(condition.lastTransitionTime) : undefined;
}

/** Ready for at least minReadySeconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: EpochMs): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readyTime(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/**
 * How long until the first of these pods becomes available. The pod is chosen by the time of the status computation,
 * and the delay is measured from now; 0 when it is already due.
 */
export function nextAvailabilityCheckMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  statusNow: EpochMs,
  now: EpochMs,
): number | undefined {
  let earliest: EpochMs | undefined;
  for (const pod of pods) {
    const since = readyTime(pod);
    if (since === undefined) continue;
    const at = since + minReadySeconds * 1000;
    if (at > statusNow && (earliest === undefined || at < earliest)) earliest = at;
  }
  return earliest === undefined ? undefined : Math.max(0, earliest - now);
}

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const INT32_MAX = 2 ** 31 - 1;

/** The value of the pod-deletion-cost annotation; 0 unless it is a plain 32-bit integer. */
export function podDeletionCost(pod: Pod): number {
  const text = pod.metadata?.annotations?.[DELETION_COST];
  if (text === undefined || !/^(0|[1-9][0-9]*|-[0-9]+)$/.test(text)) return 0;
  const cost = Number(text);
  return cost <= INT32_MAX && cost >= -INT32_MAX - 1 ? cost : 0;
}

const PHASE_RANKS: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** The progress of a pod: losing one with a lower rank costs less. */
export function phaseRank(pod: Pod): number {
  return PHASE_RANKS[pod.status?.phase ?? ""] ?? 0;
}

/** The most restarts of one container, separately for regular containers and sidecars. */
export function mostRestarts(pod: Pod): { readonly regular: number; readonly sidecar: number } {
  const regular = Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount));
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === "Always").map((c) => c.name),
  );
  const sidecar = Math.max(
    0,
    ...(pod.status?.initContainerStatuses ?? []).filter((s) => sidecars.has(s.name)).map((s) => s.restartCount),
  );
  return { regular, sidecar };
}
