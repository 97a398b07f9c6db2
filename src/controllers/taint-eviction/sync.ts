// How a change of a node's taints or of a pod changes evictions. Syncs read caches and set timers; only evictions make
// requests.
// Upstream: pkg/controller/tainteviction/taint_eviction.go, handleNodeUpdate, handlePodUpdate, processPodOnNode.

import type { Node, Pod, Taint } from "#api/generated/types/core-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { podsOnNode } from "#kit/pods-by-node.ts";
import type { TimedWork } from "#kit/timed-work.ts";
import { recordEviction } from "./evict.ts";
import { noExecuteTaints, toleratedMs } from "./tolerated-time.ts";

export interface Deps {
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly nodes: SharedInformer<StoredCluster<Node>>;
  readonly recorder: EventRecorder;
  /** By the key of the pod. */
  readonly evictions: TimedWork;
  /** The NoExecute taints of nodes that have any, as the last sync of the node saw them. */
  readonly taintedNodes: Map<string, readonly Taint[]>;
  /** The gate TaintTolerationComparisonOperators. */
  readonly comparesIntegers: boolean;
}

/** A pod at the time of its event: by now it may be bound to another node. */
export interface PodOnNode {
  readonly pod: ObjectKey;
  readonly nodeName: string;
}

export function syncNode(name: string, deps: Deps): void {
  const node = deps.nodes.lister.get(name);
  if (node === undefined) {
    // The timers of its pods keep running.
    deps.taintedNodes.delete(name);
    return;
  }
  const taints = noExecuteTaints(node.spec?.taints);
  if (taints.length === 0) deps.taintedNodes.delete(name);
  else deps.taintedNodes.set(name, taints);
  const pods = podsOnNode(deps.pods, name).toSorted((a, b) => compareText(objectKey(a), objectKey(b)));
  for (const pod of pods) {
    if (taints.length === 0) cancel(objectKey(pod), deps);
    else scheduleEviction(pod, taints, deps);
  }
}

export function syncPod({ pod: key, nodeName }: PodOnNode, deps: Deps): void {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined) {
    cancel(key, deps);
    return;
  }
  if (nodeName === "" || pod.spec?.nodeName !== nodeName) return;
  const taints = deps.taintedNodes.get(nodeName);
  if (taints !== undefined) scheduleEviction(pod, taints, deps);
}

/** The time counts from now, regardless of when the taint was added. */
function scheduleEviction(pod: Stored<Pod>, taints: readonly Taint[], deps: Deps): void {
  const key = objectKey(pod);
  const afterMs = toleratedMs(taints, pod.spec?.tolerations ?? [], deps.comparesIntegers);
  if (afterMs === undefined) {
    cancel(key, deps);
    deps.evictions.add(key, 0);
  } else if (afterMs === Number.POSITIVE_INFINITY) {
    cancel(key, deps);
  } else {
    // A scheduled eviction stays unchanged, even if the time is now shorter or longer.
    deps.evictions.add(key, afterMs);
  }
}

function cancel(key: ObjectKey, deps: Deps): void {
  if (deps.evictions.cancel(key)) recordEviction(key, `Cancelling deletion of Pod ${key}`, deps.recorder);
}
