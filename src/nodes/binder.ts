/**
 * A stand-in for the scheduler: binds each unbound pod to the ready node with the fewest pods.
 *
 * Keeps true:  a pod without a node, gates or deletion is bound while a node exists that takes it, and else says why not.
 * Watches:     Pod, Node.
 * Writes:      create of pods/binding; patch of pods/status; events.
 * It looks at node selectors, taints and unschedulable nodes only; requests and affinity are not weighed.
 */

import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Binding, Node, Pod } from "#api/generated/types/core-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { ControllerParts } from "#kit/controller-parts.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { eventCause } from "#kit/trace.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { isPodActive } from "#rules/pod-status.ts";
import { whyNot, whyNowhere } from "./fitting.ts";

const NAME = "binder";
const DEFAULT_SCHEDULER = "default-scheduler";
/** Unlike the index of kit/pods-by-node.ts it has the pods without a node, too. */
const PODS_BY_NODE = "bound-to";

interface Deps {
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly nodes: SharedInformer<StoredCluster<Node>>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
}

export async function buildBinder(context: ControllerContext): Promise<Controller> {
  const parts = await ControllerParts.under(NAME, context);
  const pods = parts.informer(Pods);
  const nodes = parts.informer(Nodes);
  const recorder = parts.recorder(DEFAULT_SCHEDULER);
  const deps: Deps = { pods, nodes, podsApi: parts.client.resource(Pods), clock: context.clock, recorder };
  const queue = parts.queue({ name: NAME });
  pods.addIndexers({ [PODS_BY_NODE]: (pod) => [pod.spec?.nodeName ?? ""] });

  const enqueueWaiting = (): void => {
    for (const pod of pods.store.byIndex(PODS_BY_NODE, "").filter(isWaitingForNode)) {
      queue.add(objectKey(pod), eventCause(Pods, "update", pod));
    }
  };
  parts.enqueue(pods, queue, { on: ["add", "update"], when: isWaitingForNode });
  // Heartbeats do not come here: they are leases.
  parts.handle(nodes, { onAdd: enqueueWaiting, onUpdate: enqueueWaiting, onDelete: enqueueWaiting });
  parts.work({ queue, workers: 4, sync: (key, signal) => bind(key, deps, signal) });
  return parts.controller();
}

async function bind(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined || !isWaitingForNode(pod)) return done;
  const node = chooseNode(pod, deps);
  if (node === undefined) {
    await reportUnschedulable(pod, deps, signal); // a change of the nodes brings the pod back
    return done;
  }
  const { namespace, name, uid } = pod.metadata;
  const object: Binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, uid },
    target: { apiVersion: "v1", kind: "Node", name: node.metadata.name },
  };
  try {
    await deps.podsApi.createSubresource({ namespace, name, subresource: "binding", object }, signal);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error; // bound by somebody else, or gone
    return done;
  }
  const message = `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`;
  deps.recorder.event(referenceTo(pod, Pods), "Normal", "Scheduled", message);
  return done;
}

function chooseNode(pod: Stored<Pod>, deps: Deps): StoredCluster<Node> | undefined {
  let best: { readonly node: StoredCluster<Node>; readonly load: number } | undefined;
  for (const node of deps.nodes.store.values()) {
    if (whyNot(pod, node) !== undefined) continue;
    const load = deps.pods.store.keysByIndex(PODS_BY_NODE, node.metadata.name).length;
    if (best === undefined || load < best.load) best = { node, load };
  }
  return best?.node;
}

function isWaitingForNode(pod: Stored<Pod>): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    isPodActive(pod) &&
    (pod.spec?.schedulingGates ?? []).length === 0 &&
    (pod.spec?.schedulerName ?? DEFAULT_SCHEDULER) === DEFAULT_SCHEDULER
  );
}

async function reportUnschedulable(pod: Stored<Pod>, deps: Deps, signal: AbortSignal): Promise<void> {
  const message = whyNowhere(pod, [...deps.nodes.store.values()]);
  const { status } = pod;
  if (status?.conditions?.some(({ type, message: told }) => type === "PodScheduled" && told === message)) return;
  deps.recorder.event(referenceTo(pod, Pods), "Warning", "FailedScheduling", message);
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastTransitionTime: formatTime(deps.clock.now()),
  };
  const { namespace, name, uid } = pod.metadata;
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  try {
    await deps.podsApi.patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
