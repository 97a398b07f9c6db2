/**
 * A stand-in for the scheduler: binds each unbound pod to the ready node with the fewest pods.
 *
 * Keeps true:  a pod without a node, gates or deletion is bound while a schedulable, ready node exists.
 * Watches:     Pod, Node.
 * Writes:      create of pods/binding.
 * It looks at node selectors, taints and unschedulable nodes only; requests and affinity are not weighed.
 */

import type { Binding, Node, Pod } from "#api/generated/types/core-v1.ts";
import { objectKey, splitKey } from "#api/object.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { done, runWorkers, type SyncResult } from "#kit/worker-loop.ts";
import { isPodActive } from "#rules/pod-status.ts";
import { tolerates } from "#rules/toleration.ts";

const NAME = "binder";
const DEFAULT_SCHEDULER = "default-scheduler";
export const podsGvr = { group: "", version: "v1", resource: "pods" };
export const nodesGvr = { group: "", version: "v1", resource: "nodes" };
const PODS_BY_NODE = "spec.nodeName";

interface Deps {
  readonly pods: SharedInformer<Pod>;
  readonly nodes: SharedInformer<Node>;
  readonly podsApi: ResourceClient<Pod>;
}

export async function buildBinder(context: ControllerContext): Promise<Controller> {
  const client = await context.client(NAME);
  const pods = context.informers.informer<Pod>(podsGvr);
  const nodes = context.informers.informer<Node>(nodesGvr);
  const deps: Deps = { pods, nodes, podsApi: client.resource<Pod>(podsGvr) };
  const queue = new KeyQueue({ context, controller: NAME, name: NAME });
  if (!pods.store.hasIndex(PODS_BY_NODE)) pods.addIndexers({ [PODS_BY_NODE]: (pod) => [pod.spec?.nodeName ?? ""] });

  const enqueue = (pod: Pod): void => {
    if (isWaitingForNode(pod)) {
      queue.add(objectKey(pod), { kind: "event", resource: "pods", event: "update", object: objectKey(pod) });
    }
  };
  const enqueueWaiting = (): void => {
    for (const pod of pods.store.byIndex(PODS_BY_NODE, "")) enqueue(pod);
  };
  const waitFor = [
    pods.addHandler({ onAdd: enqueue, onUpdate: (_, pod) => enqueue(pod) }),
    nodes.addHandler({
      onAdd: enqueueWaiting,
      // Labels and taints decide too. Heartbeats do not come here: they are leases.
      onUpdate: (_, node) => {
        if (isUsable(node)) enqueueWaiting();
      },
    }),
  ];
  return {
    run: (signal) =>
      runWorkers(
        { queue, log: context.log.named(NAME), workers: 4, waitFor, sync: (key, signal) => bind(key, deps, signal) },
        signal,
      ),
  };
}

async function bind(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined || !isWaitingForNode(pod)) return done;
  const node = chooseNode(pod, deps);
  if (node === undefined) return done; // a node that turns usable brings the pod back
  const { namespace, name } = splitKey(key);
  const object: Binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, ...(pod.metadata?.uid ? { uid: pod.metadata.uid } : {}) },
    target: { apiVersion: "v1", kind: "Node", name: node.metadata?.name ?? "" },
  };
  try {
    await deps.podsApi.createSubresource({ namespace, name, subresource: "binding", object }, signal);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error; // bound by somebody else, or gone
  }
  return done;
}

function chooseNode(pod: Pod, deps: Deps): Node | undefined {
  let best: { readonly node: Node; readonly load: number } | undefined;
  for (const node of deps.nodes.store.values()) {
    if (!isUsable(node) || !isAllowed(pod, node)) continue;
    const load = deps.pods.store.keysByIndex(PODS_BY_NODE, node.metadata?.name ?? "").length;
    if (best === undefined || load < best.load) best = { node, load };
  }
  return best?.node;
}

function isWaitingForNode(pod: Pod): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    isPodActive(pod) &&
    (pod.spec?.schedulingGates ?? []).length === 0 &&
    (pod.spec?.schedulerName ?? DEFAULT_SCHEDULER) === DEFAULT_SCHEDULER
  );
}

function isAllowed({ spec }: Pod, node: Node): boolean {
  const isSelected = Object.entries(spec?.nodeSelector ?? {}).every(
    ([label, value]) => node.metadata?.labels?.[label] === value,
  );
  const forbidding = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  return isSelected && forbidding.every((taint) => spec?.tolerations?.some((one) => tolerates(one, taint)) ?? false);
}

function isUsable(node: Node): boolean {
  const isReady = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return isReady && node.spec?.unschedulable !== true && node.metadata?.deletionTimestamp === undefined;
}
