// Evicts one pod: an event, the condition with the reason, and the deletion.
// Upstream: pkg/controller/tainteviction/taint_eviction.go, deletePodHandler.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectReference, Pod } from "#api/generated/types/core-v1.ts";
import { apiVersionOf, splitKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { observedConditionGeneration, patchPodStatus } from "#kit/pod-status-patch.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import type { TaintEvictionMetrics } from "./metrics.ts";

const TRIES = 5;
const TRY_PERIOD_MS = 10;

export interface EvictionDeps {
  readonly clock: Clock;
  readonly gates: FeatureGates;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly metrics: TaintEvictionMetrics;
}

/** A failure is logged after the last try; only a change of the taints or tolerations causes another try. */
export async function evict(key: string, dueMs: number, deps: EvictionDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, metrics } = deps;
  log.info("Deleting pod", { pod: key });
  recordEviction(key, `Marking for deletion Pod ${key}`, deps.recorder);
  let failure: unknown;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await markAndDelete(key, deps, signal);
      metrics.deletions.inc();
      // Deviation: Go multiplies the duration by 1e9, so that nearly all values are beyond the last bucket.
      metrics.latency.observe((clock.now() - dueMs) / 1000);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
    await clock.sleep(TRY_PERIOD_MS, signal);
  }
  log.error(failure, "TaintEvictionController: timed worker failed", { pod: key });
}

/** By name only: as upstream, it may hit a new pod of the same name. */
async function markAndDelete(key: string, deps: EvictionDeps, signal: AbortSignal): Promise<void> {
  const { namespace, name } = splitKey(key);
  const pod = await deps.podsApi.get({ namespace, name }, signal);
  const type = "DisruptionTarget";
  const condition = {
    type,
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    ...observedConditionGeneration(pod, type, deps.gates),
  };
  await patchPodStatus(deps.podsApi, pod, updatePodCondition(pod.status ?? {}, condition, deps.clock.now()), signal);
  await deps.podsApi.delete({ namespace, name }, signal);
}

/** Upstream's reference has no UID, because only the name of the pod is known. */
export function recordEviction(key: string, message: string, recorder: EventRecorder): void {
  const { namespace, name } = splitKey(key);
  const about: ObjectReference = { apiVersion: apiVersionOf(Pods), kind: Pods.kind, name, namespace };
  recorder.event(about, "Normal", "TaintManagerEviction", message);
}
