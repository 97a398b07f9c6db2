// Evicts one pod when it is due: an event, the condition with the reason, and the deletion.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, maybeDeletePod, addConditionAndDeletePod.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectReference } from "#api/generated/types/core-v1.ts";
import { apiVersionOf } from "#api/object.ts";
import { isNotFound } from "#api/status-error.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { patchPodStatus } from "#kit/pod-status-patch.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { type Deps, itemText, ruleItem, type WorkItem } from "./deps.ts";
import { RULE_STATUS_PERIOD_MS } from "./rule-status.ts";

type PodItem = WorkItem & { readonly kind: "pod" };

const CONDITION = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
};

export async function syncEviction(item: PodItem, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { clock, evictions, evicted, queue } = deps;
  const eviction = evictions.get(itemText(item));
  if (eviction === undefined || evicted.has(item.uid)) return done;
  const afterMs = eviction.atMs - clock.now();
  if (afterMs > 0) return requeueAfter(afterMs, "the taint is tolerated until then");
  const isEvicted = await markAndDelete(item, deps, signal);
  evictions.delete(itemText(item));
  evicted.add(item.uid);
  if (!isEvicted) return done;
  const latencyMs = clock.now() - eviction.atMs;
  deps.log.v(2).info("Evicted pod by deleting it", { pod: `${item.namespace}/${item.name}`, latencyMs });
  deps.deletions.inc();
  deps.latency.observe(latencyMs / 1000);
  for (const source of eviction.sources) {
    if (source.kind !== "rule") continue;
    const { uid } = source.rule.metadata;
    deps.evictedByRule.set(uid, (deps.evictedByRule.get(uid) ?? 0) + 1);
    // By then the cache shows the pod's deletion.
    queue.addAfter(ruleItem(source.rule), RULE_STATUS_PERIOD_MS, "a pod was evicted");
  }
  return done;
}

/**
 * False: the pod is gone, or another pod has its name. As upstream, a pod that is already being deleted counts as
 * evicted.
 */
async function markAndDelete(item: PodItem, deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { namespace, name, uid } = item;
  try {
    const pod = await deps.podsApi.get({ namespace, name }, signal);
    if (pod.metadata.uid !== uid) return false;
    if (pod.metadata.deletionTimestamp !== undefined) return true;
    recordEviction(item, "Marking for deletion", deps.recorder);
    const status = updatePodCondition(pod.status ?? {}, CONDITION, deps.clock.now());
    await patchPodStatus(deps.podsApi, pod, status, signal);
    await deps.podsApi.delete({ namespace, name, options: { preconditions: { uid } } }, signal);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

export function recordEviction({ namespace, name, uid }: PodItem, message: string, recorder: EventRecorder): void {
  const about: ObjectReference = { apiVersion: apiVersionOf(Pods), kind: Pods.kind, name, namespace, uid };
  recorder.event(about, "Normal", "DeviceTaintManagerEviction", message);
}
