// One pass over all pods and nodes: terminated, out-of-service, orphaned and unscheduled pods, in this order.
// Upstream: pkg/controller/podgc/gc_controller.go, gc.

import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { objectKey, ref } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { compareText } from "#kit/order.ts";
import { observedConditionGeneration, observedPodGeneration, patchPodStatus } from "#kit/pod-status-patch.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import type { DelayingQueue } from "#workqueue/delaying-queue.ts";
import type { PodGcMetrics, Reason } from "./metrics.ts";
import { evictedThenOldest, isOutOfService, isUnscheduledTerminating, surplusTerminated } from "./victims.ts";

/** How long a node may be missing from the cache before the server is asked about it. */
const QUARANTINE_MS = 40_000;

export interface Deps {
  readonly clock: Clock;
  readonly gates: FeatureGates;
  readonly log: Logger;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly nodes: SharedInformer<StoredCluster<Node>>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly nodesApi: ResourceClient<StoredCluster<Node>>;
  /** Names of nodes that pods refer to and the cache does not have; each is due after its quarantine. */
  readonly missingNodes: DelayingQueue<string>;
  readonly metrics: PodGcMetrics;
  readonly terminatedPodsMax: number;
}

/** Only the chosen pods are sorted, because they are few. */
function chosen(pods: readonly Stored<Pod>[], isChosen: (pod: Stored<Pod>) => boolean): readonly Stored<Pod>[] {
  return pods.filter(isChosen).sort((a, b) => compareText(objectKey(a), objectKey(b)));
}

export async function collect(deps: Deps, signal: AbortSignal): Promise<void> {
  const pods = deps.pods.lister.list();
  if (deps.terminatedPodsMax > 0) await deleteTerminated(pods, deps, signal);
  await deleteOutOfService(pods, deps, signal);
  await deleteOrphaned(pods, deps, signal);
  await deleteUnscheduled(pods, deps, signal);
}

async function deleteTerminated(pods: readonly Stored<Pod>[], deps: Deps, signal: AbortSignal): Promise<void> {
  const victims = surplusTerminated(pods, deps.terminatedPodsMax);
  if (victims.length === 0) return;
  deps.log.info("Garbage collecting pods", { numPods: victims.length });
  await Promise.all(victims.map((pod) => forceDelete(pod, "terminated", deps, signal)));
}

async function deleteOutOfService(pods: readonly Stored<Pod>[], deps: Deps, signal: AbortSignal): Promise<void> {
  const victims = chosen(pods, (pod) => {
    if (pod.metadata.deletionTimestamp === undefined) return false;
    const nodeName = pod.spec?.nodeName ?? "";
    const node = deps.nodes.lister.get(nodeName);
    if (node !== undefined) return isOutOfService(node);
    deps.log.error(new Error(`node "${nodeName}" not found`), "Failed to get node", { node: { name: nodeName } });
    return false;
  });
  const sorted = victims.toSorted(evictedThenOldest);
  await Promise.all(sorted.map((pod) => forceDelete(pod, "out-of-service", deps, signal)));
}

async function deleteOrphaned(pods: readonly Stored<Pod>[], deps: Deps, signal: AbortSignal): Promise<void> {
  const nodeNameOf = ({ spec }: Pod): string => spec?.nodeName ?? "";
  const isOnMissing = (pod: Pod): boolean =>
    nodeNameOf(pod) !== "" && deps.nodes.lister.get(nodeNameOf(pod)) === undefined;
  for (const pod of chosen(pods, isOnMissing)) deps.missingNodes.addAfter(nodeNameOf(pod), QUARANTINE_MS);
  const deleted = await deletedNodes(deps, signal);
  for (const pod of chosen(pods, (each) => deleted.has(nodeNameOf(each)))) {
    const nodeName = nodeNameOf(pod);
    deps.log
      .v(2)
      .info("Found orphaned Pod assigned to the Node, deleting", { pod: ref(pod), node: { name: nodeName } });
    await forceDelete(pod, "orphaned", deps, signal);
  }
}

/** The nodes whose quarantine is over and that do not exist. If a read fails, the next pass queues the node again. */
async function deletedNodes(deps: Deps, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  while (deps.missingNodes.length() > 0) {
    const name = await deps.missingNodes.get(signal);
    if (name === undefined) break;
    try {
      if (deps.nodes.lister.get(name) === undefined) await deps.nodesApi.get({ name }, signal);
    } catch (error) {
      if (isNotFound(error)) deleted.add(name);
      else if (signal.aborted) throw error;
      else deps.log.error(error, "Error while getting node", { node: { name } });
    } finally {
      deps.missingNodes.done(name);
    }
  }
  return deleted;
}

async function deleteUnscheduled(pods: readonly Stored<Pod>[], deps: Deps, signal: AbortSignal): Promise<void> {
  for (const pod of chosen(pods, isUnscheduledTerminating)) {
    deps.log.v(2).info("Found unscheduled terminating Pod not assigned to any Node, deleting", { pod: ref(pod) });
    await forceDelete(pod, "unscheduled", deps, signal);
  }
}

const FAILURES: Readonly<Record<Reason, string>> = {
  terminated: "Failed to delete terminated pod",
  "out-of-service": "Failed to delete terminating pod on out-of-service node",
  orphaned: "Failed to delete orphaned pod",
  unscheduled: "Failed to delete unscheduled terminating pod",
};

/** A failure is logged and counted; the next pass tries again. */
async function forceDelete(pod: Stored<Pod>, reason: Reason, deps: Deps, signal: AbortSignal): Promise<void> {
  // Deviation: upstream sends the delete anyway. The pods of one pass are deleted one after the other, and many of them
  // are gone before their turn.
  if (deps.pods.lister.get(objectKey(pod))?.metadata.uid !== pod.metadata.uid) return;
  const labels = [pod.metadata.namespace, reason];
  deps.metrics.deletions.inc(labels);
  try {
    deps.log.info("PodGC is force deleting Pod", { pod: ref(pod) });
    // No kubelet will set the pod's phase any more, and controllers that wait for the pod check its phase.
    if (!isPodTerminal(pod)) await patchPodStatus(deps.podsApi, pod, failedStatus(pod, reason, deps), signal);
    const { namespace, name } = pod.metadata;
    await deps.podsApi.delete({ namespace, name, options: { gracePeriodSeconds: 0 } }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.error(error, FAILURES[reason], { pod: ref(pod) });
    deps.metrics.errors.inc(labels);
  }
}

function failedStatus(pod: Stored<Pod>, reason: Reason, { clock, gates }: Deps): NonNullable<Pod["status"]> {
  const status = { ...pod.status, phase: "Failed", ...observedPodGeneration(pod, gates) };
  if (reason !== "orphaned") return status;
  const type = "DisruptionTarget";
  const condition = {
    type,
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    ...observedConditionGeneration(pod, type, gates),
  };
  return updatePodCondition(status, condition, clock.now());
}
