// Marks the pods of a node that is not ready as not ready, regardless of the kubelet's last report.
// Upstream: pkg/controller/util/node/controller_utils.go, MarkPodsNotReady; node_lifecycle_controller.go, processPod.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { type ObjectKey, objectKey, ref } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import type { Deps } from "./deps.ts";

/** Tries all pods, then throws the errors. */
export async function markPodsNotReady(pods: readonly Stored<Pod>[], deps: Deps, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = [];
  for (const pod of pods.toSorted((a, b) => compareText(objectKey(a), objectKey(b)))) {
    const condition = pod.status?.conditions?.find(({ type }) => type === "Ready");
    if (condition === undefined) continue;
    const status = updatePodCondition(pod.status ?? {}, { ...condition, status: "False" }, deps.clock.now());
    if (status === pod.status) continue;
    try {
      await deps.podsApi.updateStatus({ object: { ...pod, status } }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isNotFound(error)) continue;
      deps.log.info("Failed to update status for pod", { pod: ref(pod), err: String(error) });
      errors.push(error);
    }
    deps.recorder.event(referenceTo(pod, Pods), "Warning", "NodeNotReady", "Node is not ready");
  }
  if (errors.length > 0) throw aggregate(errors);
}

/** For a newly bound pod: the check of its node may have come before the pod was in the cache. */
export async function syncPod(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined) return done;
  const nodeName = pod.spec?.nodeName ?? "";
  const health = deps.memory.health.get(nodeName);
  if (health === undefined) return done;
  deps.nodes.lister.require(nodeName);
  if (health.ready !== undefined && health.ready.status !== "True") await markPodsNotReady([pod], deps, signal);
  return done;
}
