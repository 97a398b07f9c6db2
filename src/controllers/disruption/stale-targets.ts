// Pods with the condition DisruptionTarget that were not disrupted: the condition is set to False after two minutes.
// Upstream: pkg/controller/disruption/disruption.go, syncStalePodDisruption, nonTerminatingPodHasStaleDisruptionCondition.

import type { ObjectKey } from "#api/object.ts";
import { ref } from "#api/object.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { observedConditionGeneration } from "#kit/pod-status-patch.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { isPodTerminal, podCondition } from "#rules/pod-status.ts";
import type { Deps, StoredPod } from "./model.ts";

const STALE_AFTER_MS = 120_000;
const DISRUPTION_TARGET = "DisruptionTarget";
export const STALE_REASON = "the announced disruption is stale by then";

/**
 * How long until the DisruptionTarget condition of the pod is stale, 0 when it is; undefined without the condition.
 */
export function staleAfterMs(pod: StoredPod, now: EpochMs): number | undefined {
  const condition = podCondition(pod, DISRUPTION_TARGET);
  if (condition?.status !== "True" || pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) {
    return undefined;
  }
  // A kubelet has no time limit for ending a pod.
  if (condition.reason === "TerminationByKubelet") return undefined;
  const since = timeOrUndefined(condition.lastTransitionTime);
  return since === undefined ? 0 : Math.max(0, STALE_AFTER_MS - (now - since));
}

export async function syncStaleTarget(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { clock, gates, pods, podsApi, log } = deps;
  const pod = pods.lister.get(key);
  const afterMs = pod && staleAfterMs(pod, clock.now());
  if (pod === undefined || afterMs === undefined) return done;
  if (afterMs > 0) return requeueAfter(afterMs, STALE_REASON);
  const condition = {
    type: DISRUPTION_TARGET,
    status: "False",
    ...observedConditionGeneration(pod, DISRUPTION_TARGET, gates),
  };
  const status = updatePodCondition(pod.status ?? {}, condition, clock.now());
  await podsApi.updateStatus({ object: { ...pod, status } }, signal);
  log.v(2).info("Reset stale DisruptionTarget condition to False", { pod: ref(pod) });
  return done;
}
